"""What the server imports before it forks workers: everything that takes long or takes memory.

A page that nobody writes to is shared. The collector would write to all of them in its first full
round, so what is here is taken out of its sight.
"""

import gc

import ringlab.gradebook.fragment
import ringlab.gradebook.points
import ringlab.gradebook.worker
import ringlab.grading.command
import ringlab.grading.judge
import ringlab.view.filmstrips  # noqa: F401

gc.collect()
gc.freeze()

"""Starts one program under limits and stays with it: python launch.py PROGRAM ARGUMENT...

It is called by its path, from an isolated interpreter, so that no module of the folder it is
started in takes the place of one of the course's.
"""

from __future__ import annotations

import os
import signal
import sys


def main(argv: list[str]) -> int:
    """Run `argv` under the limits of a notebook, and end as it ends."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from ringlab.world import limits, namespaces, supervisor

    namespaces.prctl(namespaces.PR_SET_PDEATHSIG, signal.SIGKILL)
    namespaces.prctl(namespaces.PR_SET_CHILD_SUBREAPER, 1)
    allowed = limits.NOTEBOOK
    group = limits.Group.make(allowed.processes) if limits.is_root() else None
    child = os.fork()
    if child == 0:
        try:
            namespaces.prctl(namespaces.PR_SET_PDEATHSIG, signal.SIGKILL)
            if group is not None:
                group.join()
            limits.first_to_go()
            limits.apply(allowed, has_gpu=limits.has_gpu(), counted_apart=False)
            os.execvp(argv[0], argv)
        except OSError as error:
            print(f"{argv[0]}: {error}", file=sys.stderr)
        finally:
            os._exit(127)
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda number, _: os.kill(child, number))
    _, status = os.waitpid(child, 0)
    # bubblewrap leaves none; without it a program may.
    supervisor.kill_descendants()
    if group is not None:
        group.remove()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

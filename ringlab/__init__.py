"""Collective communication between GPUs, to learn by doing: the library behind the notebooks.

Notebooks need this one import, `import ringlab as lab`. Names are loaded when first used, so that
the simulator and the pictures work without torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "algorithms": "ringlab.algorithms",
    "Schedule": "ringlab.schedule",
    "ScheduleError": "ringlab.schedule",
    "Step": "ringlab.schedule",
    "Transfer": "ringlab.schedule",
    "find_faults": "ringlab.schedule",
    "simulate": "ringlab.schedule",
    "simulate_numbers": "ringlab.schedule",
    "filmstrip": "ringlab.view",
    "predict": "ringlab.view",
    "show": "ringlab.view",
    "run": "ringlab.world.run",
    "try_run": "ringlab.world.run",
    "watch": "ringlab.trace.watch",
    "measure": "ringlab.bench.measure",
    "traffic": "ringlab.trace.traffic",
    "check": "ringlab.grading.check",
    "doctor": "ringlab.doctor",
}

if TYPE_CHECKING:
    from ringlab import algorithms as algorithms
    from ringlab.bench.measure import measure as measure
    from ringlab.doctor import doctor as doctor
    from ringlab.grading.check import check as check
    from ringlab.schedule import Schedule as Schedule
    from ringlab.schedule import ScheduleError as ScheduleError
    from ringlab.schedule import Step as Step
    from ringlab.schedule import Transfer as Transfer
    from ringlab.schedule import find_faults as find_faults
    from ringlab.schedule import simulate as simulate
    from ringlab.schedule import simulate_numbers as simulate_numbers
    from ringlab.trace.traffic import traffic as traffic
    from ringlab.trace.watch import watch as watch
    from ringlab.view import filmstrip as filmstrip
    from ringlab.view import predict as predict
    from ringlab.view import show as show
    from ringlab.world.run import run as run
    from ringlab.world.run import try_run as try_run

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ringlab' has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if name == "algorithms" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})

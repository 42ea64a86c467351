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
    "collective": "ringlab.view",
    "filmstrip": "ringlab.view",
    "predict": "ringlab.view",
    "show": "ringlab.view",
    "run": "ringlab.world.run",
    "try_run": "ringlab.world.run",
    "watch": "ringlab.trace.watch",
    "measure": "ringlab.bench.measure",
    "measure_bandwidth": "ringlab.bench.bandwidth",
    "measure_link": "ringlab.bench.link",
    "compare_algorithms": "ringlab.bench.all_reduces",
    "sweep_fusion": "ringlab.bench.fusion",
    "run_schedule": "ringlab.bench.schedules",
    "cost": "ringlab.cost",
    "explore_cost": "ringlab.view",
    "explore_fusion": "ringlab.view",
    "traffic": "ringlab.trace.traffic",
    "check": "ringlab.grading.check",
    "doctor": "ringlab.doctor",
}

if TYPE_CHECKING:
    from ringlab import algorithms as algorithms
    from ringlab import cost as cost
    from ringlab.bench.all_reduces import compare_algorithms as compare_algorithms
    from ringlab.bench.bandwidth import measure_bandwidth as measure_bandwidth
    from ringlab.bench.fusion import sweep_fusion as sweep_fusion
    from ringlab.bench.link import measure_link as measure_link
    from ringlab.bench.measure import measure as measure
    from ringlab.bench.schedules import run_schedule as run_schedule
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
    from ringlab.view import collective as collective
    from ringlab.view import explore_cost as explore_cost
    from ringlab.view import explore_fusion as explore_fusion
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
    value = module if name in ("algorithms", "cost") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})

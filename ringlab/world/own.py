"""Which files hold the user's own code."""

from __future__ import annotations

import os
import sysconfig

_LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PATHS = sysconfig.get_paths()
_NOT_OWN = (
    _LIBRARY,
    *{os.path.realpath(_PATHS[name]) + os.sep for name in ("stdlib", "purelib", "platlib")},
    *{_PATHS[name] + os.sep for name in ("stdlib", "purelib", "platlib")},
    "<frozen",
    "<string>",
    "<__array_function__",
)


def is_own_file(file: str) -> bool:
    """True for scripts, the user's modules, notebook cells; not for torch, Python, this library."""
    return not file.startswith(_NOT_OWN)

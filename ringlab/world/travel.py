"""Functions by value: how a function of a notebook cell gets into another process."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import types
from collections import ChainMap
from collections.abc import Iterator
from typing import Any

import cloudpickle

from ringlab.world.own import is_own_file

_REGISTRY = threading.Lock()
_PLACEHOLDER = "<dynamic-code>"


def _reduce_code(code: types.CodeType) -> tuple[Any, ...]:
    build, arguments, *rest = cloudpickle.Pickler.dispatch_table[types.CodeType](code)
    kept = tuple(code.co_filename if a == _PLACEHOLDER else a for a in arguments)
    return build, kept, *rest


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """cloudpickle, but code keeps its file's name, so that a rank can tell the user's lines."""

    dispatch_table = ChainMap({types.CodeType: _reduce_code}, cloudpickle.Pickler.dispatch_table)


def by_value(value: Any, fn: Any) -> bytes:
    """Pickle `value`, sending the module of `fn` along when it is the user's own.

    A rank might not find such a module, or find an older state of it.
    """
    file = io.BytesIO()
    with _REGISTRY, _own_module(fn):
        _Pickler(file).dump(value)
    return file.getvalue()


@contextlib.contextmanager
def _own_module(fn: Any) -> Iterator[None]:
    module = sys.modules.get(getattr(fn, "__module__", None) or "")
    path = getattr(module, "__file__", None)
    if module is None or module.__name__ == "__main__" or not path or not is_own_file(path):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)

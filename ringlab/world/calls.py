"""The turn of a demonstration: a function that came by value, called once."""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

import cloudpickle

from ringlab.trace.recorder import Recorder
from ringlab.words import world as words
from ringlab.world.own import is_own_file
from ringlab.world.rank import Context, Refused
from ringlab.world.wire import Header


def call(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Unpickle (function, args, kwargs), call it, pickle what it returns."""
    try:
        function, args, kwargs = pickle.loads(payload)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise Refused(words.CANNOT_TRAVEL.format(name=header["name"], reason=reason)) from None
    recorder: Any = contextlib.nullcontext()
    if header["record"]:
        recorder = Recorder(context.connection.send, is_own_file)
    with recorder:
        result = function(*args, **kwargs)
    try:
        return {}, cloudpickle.dumps(result)
    except Exception as error:
        raise Refused(
            words.RESULT_CANNOT_TRAVEL.format(name=header["name"], rank=context.rank, reason=error)
        ) from None

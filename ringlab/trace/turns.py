"""The turns of a watched run: keep a function, then call it with tensors made of given bytes."""

from __future__ import annotations

import pickle
from typing import Any

import torch

from ringlab.trace.recorder import Recorder, raw_bytes
from ringlab.words import world as words
from ringlab.world.own import is_own_file
from ringlab.world.rank import Context, Refused
from ringlab.world.wire import Header


def keep(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Keep a function that came by value, with the arguments after the tensor."""
    try:
        context.kept["function"], context.kept["arguments"] = pickle.loads(payload)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise Refused(words.CANNOT_TRAVEL.format(name=header["name"], reason=reason)) from None
    context.kept["is_theirs"] = is_own_file
    return {}, b""


def call(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Call the kept function on one tensor and record it; the tensor's bytes come back."""
    tensor = tensor_from(payload, header["dtype"], header["shape"])
    function: Any = context.kept["function"]
    given = header["arguments"]
    arguments = context.kept["arguments"] if given is None else given
    recorder = Recorder(
        context.connection.send,
        context.kept["is_theirs"],
        watched=tensor,
        payloads=header["payloads"],
    )
    with recorder:
        function(tensor, *arguments)
    return {}, raw_bytes(tensor)


def tensor_from(data: bytes, dtype: str, shape: list[int]) -> torch.Tensor:
    """A new tensor on this rank's device with the given bytes."""
    kind = getattr(torch, dtype)
    if not data:
        return torch.empty(shape, dtype=kind)
    with torch.device("cpu"):
        tensor = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(kind)
    return tensor.clone().reshape(shape).to(torch.get_default_device())

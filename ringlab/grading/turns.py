"""The turns of a judged answer, in the rank: run its cell, call it, give back raw bytes."""

from __future__ import annotations

import importlib
import linecache
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor

from ringlab.grading import untouched
from ringlab.grading.guards import clean_builtins
from ringlab.grading.policy import Policy
from ringlab.trace.recorder import Recorder, raw_bytes, wrap_what_the_mode_does_not_see
from ringlab.trace.turns import tensor_from
from ringlab.words import judge as words
from ringlab.world.rank import Context
from ringlab.world.wire import Header

GUARD_BYTES = 64
GUARD = 0xA5
# Python refuses to write longer numbers down; no exercise has any.
MOST_BITS = 1000
MOST_ITEMS = 10_000
FUNCTIONAL = "_functional_collectives"


def file_name(exercise: str) -> str:
    """The name under which an answer's code is compiled, so that its lines are known again."""
    return f"<{exercise}>"


def load(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Run the answer's cell in a namespace that holds torch, dist and Tensor, and nothing else."""
    source = payload.decode()
    file = file_name(header["exercise"])
    # Printed tracebacks and learners' own prints of them show the line.
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    # A dataclass looks its own module up by name.
    module = types.ModuleType("answer")
    sys.modules[module.__name__] = module
    namespace = vars(module)
    policy = Policy(
        tuple((module, tuple(names)) for module, names in header["policy"]["modules"]),
        frozenset(header["policy"]["builtins"]),
    )
    namespace.update(
        torch=torch, dist=dist, Tensor=torch.Tensor, __builtins__=clean_builtins(policy)
    )
    if FUNCTIONAL in source:
        # The first functional collective imports it, which takes longer than a case may.
        importlib.import_module("torch._dynamo")
    wrap_what_the_mode_does_not_see()
    context.kept["untouched"] = untouched.take()
    context.kept["is_theirs"] = lambda name: name == file
    with Recorder(context.connection.send, context.kept["is_theirs"]):
        exec(compile(source, file, "exec"), namespace)
    context.kept["function"] = namespace[header["exercise"]]
    context.kept["arguments"] = ()
    return {}, b""


def case(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Call the answer once and give back the bytes of its tensors, read from their own storage."""
    given: list[_Guarded | _GuardedList | None] = []
    arguments: list[Any] = []
    for meta in header["arguments"]:
        if meta["kind"] == "value":
            given.append(None)
            arguments.append(meta["value"])
            continue
        data, payload = payload[: meta["nbytes"]], payload[meta["nbytes"] :]
        guard = _Guarded(data, meta) if meta["kind"] == "tensor" else _GuardedList(data, meta)
        given.append(guard)
        arguments.append(guard.view)
    guarded = [tensor for guard in given if guard is not None for tensor in guard.tensors]
    watched = None if header["watched"] is None else arguments[header["watched"]]
    recorder = Recorder(
        context.connection.send,
        context.kept["is_theirs"],
        watched=watched if isinstance(watched, torch.Tensor) else None,
    )
    recorder.ignore_memory_of([tensor.base for tensor in guarded])
    time.sleep(header["delay"])
    returned, refused = None, False
    with recorder:
        try:
            returned = _arrived(context.kept["function"](*arguments))
        except ValueError:
            if not header["refuses"]:
                raise
            refused = True
    stale = _changed_since_it_was_returned(context)
    context.kept["returned"] = (returned, _small(returned))
    answer: list[Header] = []
    blobs = []
    for each in given:
        if each is None:
            answer.append({"kind": "value"})
            continue
        blobs.append(each.bytes_now())
        answer.append({"kind": each.meta["kind"], "spoiled": each.spoiled()})
    returned_meta, returned_bytes = describe(returned)
    blobs.append(returned_bytes)
    result = {
        "nonce": header["nonce"],
        "changed": untouched.changed_since(context.kept["untouched"]),
        "arguments": answer,
        "returned": returned_meta,
        "refused": refused,
        "stale": stale,
        "shares": any(each.shares_memory_with(returned) for each in guarded),
    }
    return result, b"".join(blobs)


def _small(returned: Any) -> bytes | None:
    """The bytes of a returned tensor that is not large."""
    if not isinstance(returned, torch.Tensor) or returned.numel() > MOST_ITEMS:
        return None
    return raw_bytes(returned.detach().contiguous())


def _changed_since_it_was_returned(context: Context) -> bool:
    """Whether what the call before this one returned has other values now."""
    returned, before = context.kept.get("returned", (None, None))
    return before is not None and _small(returned) != before


def _arrived(returned: Any) -> Any:
    """A functional collective's result may still be under way; its first use waits for it."""
    return returned.wait() if isinstance(returned, AsyncCollectiveTensor) else returned


def calls(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Call the answer with each of several argument tuples; for exercises without ranks."""
    function = context.kept["function"]
    returned = [describe(function(*each))[0] for each in header["calls"]]
    return {"nonce": header["nonce"], "returned": returned}, b""


class _Guarded:
    """A tensor argument with guard bytes on both sides of it in the same storage.

    Its bytes are those from its first to its last element, with the gaps of one that is not
    contiguous.
    """

    def __init__(self, data: bytes, meta: Header) -> None:
        self.meta = meta
        self.size = len(data)
        edge = bytes([GUARD]) * GUARD_BYTES
        self.base = tensor_from(edge + data + edge, "uint8", [self.size + 2 * GUARD_BYTES])
        middle = self.base[GUARD_BYTES : GUARD_BYTES + self.size]
        flat = middle.view(getattr(torch, meta["dtype"]))
        self.view = flat.as_strided(meta["shape"], meta["strides"])
        self.address = self.view.data_ptr()
        self.tensors = [self]
        self.first_byte = self.base.data_ptr()

    def shares_memory_with(self, value: Any) -> bool:
        """Whether a returned tensor lies in this argument's storage."""
        if not isinstance(value, torch.Tensor) or not value.numel() or not self.size:
            return False
        end = self.first_byte + self.size + 2 * GUARD_BYTES
        return bool(self.first_byte <= value.data_ptr() < end)

    def bytes_now(self) -> bytes:
        return raw_bytes(self.base)[GUARD_BYTES : GUARD_BYTES + self.size]

    def spoiled(self) -> list[str]:
        found = []
        edges = raw_bytes(self.base)
        edge = bytes([GUARD]) * GUARD_BYTES
        if edges[:GUARD_BYTES] != edge or edges[GUARD_BYTES + self.size :] != edge:
            found.append(words.NEIGHBOURS_CHANGED)
        dtype = str(self.view.dtype).removeprefix("torch.")
        if dtype != self.meta["dtype"]:
            found.append(words.DTYPE_CHANGED.format(now=dtype, before=self.meta["dtype"]))
        if list(self.view.shape) != self.meta["shape"]:
            now, before = tuple(self.view.shape), tuple(self.meta["shape"])
            found.append(words.SHAPE_CHANGED.format(now=now, before=before))
        elif self.size and self.view.data_ptr() != self.address:
            found.append(words.STORAGE_SWAPPED)
        elif self.view.numel() > 1 and list(self.view.stride()) != self.meta["strides"]:
            now, before = self.view.stride(), tuple(self.meta["strides"])
            found.append(words.STRIDES_CHANGED.format(now=now, before=before))
        if self.view.requires_grad:
            found.append(words.GRAD_CHANGED.format(now=True))
        return found


class _Elsewhere:
    """A tensor on a device without memory, to be refused beside one that has some."""

    def __init__(self, data: bytes, meta: Header) -> None:
        self.meta = meta
        dtype = getattr(torch, meta["dtype"])
        self.view = torch.empty(meta["shape"], dtype=dtype, device="meta")
        self.base = torch.empty(0)

    def shares_memory_with(self, value: Any) -> bool:
        return False

    def bytes_now(self) -> bytes:
        return b""

    def spoiled(self) -> list[str]:
        return []


class _GuardedList:
    """An argument that is a list of tensors, each guarded by itself."""

    def __init__(self, data: bytes, meta: Header) -> None:
        self.meta = meta
        self.tensors: list[_Guarded | _Elsewhere] = []
        for item in meta["items"]:
            kind = _Elsewhere if item["kind"] == "meta" else _Guarded
            self.tensors.append(kind(data[: item["nbytes"]], item))
            data = data[item["nbytes"] :]
        self.view = [each.view for each in self.tensors]

    def bytes_now(self) -> bytes:
        return b"".join(each.bytes_now() for each in self.tensors)

    def spoiled(self) -> list[str]:
        same = len(self.view) == len(self.tensors) and all(
            now is each.view for now, each in zip(self.view, self.tensors, strict=True)
        )
        found = [] if same else [words.LIST_CHANGED]
        return found + [text for each in self.tensors for text in each.spoiled()]


def _items(kind: str, values: Any, left: Iterator[int]) -> tuple[Header, bytes]:
    items = [describe(value, left) for value in values]
    return {"kind": kind, "items": [item for item, _ in items]}, b"".join(d for _, d in items)


def describe(value: Any, left: Iterator[int] | None = None) -> tuple[Header, bytes]:
    """A returned value as plain data and bytes. Kinds that no exercise asks for are named only.

    left: counts down how many more values may come out of it, those in lists in lists too.
    """
    left = left or iter(range(MOST_ITEMS))
    if next(left, None) is None:
        return {"kind": "other", "type": "more"}, b""
    if value is None:
        return {"kind": "none"}, b""
    plain = type(value) in (bool, int, float, str)
    if plain and not (isinstance(value, int) and value.bit_length() > MOST_BITS):
        return {"kind": "value", "type": type(value).__name__, "value": value}, b""
    if isinstance(value, tuple):
        # A NamedTuple is a tuple too.
        return _items("tuple", tuple.__getitem__(value, slice(MOST_ITEMS)), left)
    if isinstance(value, list):
        return _items("list", list.__getitem__(value, slice(MOST_ITEMS)), left)
    if isinstance(value, (set, frozenset)):
        members = set.copy(value) if isinstance(value, set) else frozenset.copy(value)
        return _items("set", sorted(members, key=repr)[:MOST_ITEMS], left)
    if isinstance(value, torch.Tensor):
        data = raw_bytes(value.detach().contiguous())
        dtype = str(value.dtype).removeprefix("torch.")
        return {
            "kind": "tensor",
            "dtype": dtype,
            "shape": list(value.shape),
            "nbytes": len(data),
        }, data
    return {"kind": "other", "type": type(value).__name__}, b""

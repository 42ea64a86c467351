"""The recorder that sits in a rank: what it is about to do is told to the kernel first.

`torch.distributed` goes through torch's dispatcher, so a dispatch mode sees an operation whatever
name it was called by. The mode does not see `wait`, nor the making of groups: the methods of
`torch.distributed.Work` and of its futures, and `_new_group_with_tag`, are wrapped for that.
Private torch names that this file leans on are listed in tests/facts.
"""

from __future__ import annotations

import ctypes
import re
import sys
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _resolve_process_group
from torch.distributed.distributed_c10d import GroupName
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from ringlab.words import trace as words

PAYLOAD_BYTES = 1 << 16
# In the place of the size of a storage that was there before the call.
NOT_OURS = -1

Emit = Callable[..., None]

# The dispatcher's names on torch 2.13, and the field's.
NAMES = {
    "send": "send",
    "recv_": "recv",
    "recv_any_source_": "recv",
    "allreduce_": "all_reduce",
    "allreduce_coalesced_": "all_reduce_coalesced",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "allgather_": "all_gather",
    "_allgather_base_": "all_gather",
    "allgather_coalesced_": "all_gather_coalesced",
    "allgather_into_tensor_coalesced_": "all_gather_coalesced",
    "gather_": "gather",
    "scatter_": "scatter",
    "reduce_scatter_": "reduce_scatter",
    "_reduce_scatter_base_": "reduce_scatter",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter_coalesced",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all",
    "barrier": "barrier",
    "monitored_barrier_": "monitored_barrier",
}
# Functional collectives, which give their result as a new tensor that waits when it is first used.
FUNCTIONAL_NAMES = {
    "all_reduce": "all_reduce",
    "all_reduce_": "all_reduce",
    "all_reduce_coalesced": "all_reduce_coalesced",
    "all_reduce_coalesced_": "all_reduce_coalesced",
    "all_gather_into_tensor": "all_gather",
    "all_gather_into_tensor_out": "all_gather",
    "all_gather_into_tensor_coalesced": "all_gather_coalesced",
    "reduce_scatter_tensor": "reduce_scatter",
    "reduce_scatter_tensor_out": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter_coalesced",
    "all_to_all_single": "all_to_all",
    "broadcast": "broadcast",
    "broadcast_": "broadcast",
}
_INPUT_IS_SECOND = frozenset(
    {
        "allgather_",
        "_allgather_base_",
        "allgather_coalesced_",
        "allgather_into_tensor_coalesced_",
        "gather_",
        "scatter_",
        "reduce_scatter_",
        "_reduce_scatter_base_",
        "reduce_scatter_tensor_coalesced_",
        "alltoall_",
        "alltoall_base_",
    }
)


class Recorder(TorchDispatchMode):
    """Record one call of a learner's function on this rank.

    emit      called as emit(header, payload) before each operation and after each wait
    is_theirs given a file name, says whether code in it is the learner's
    watched   the tensor whose contents are followed, or None
    payloads  also tell what messages carry and what the watched tensor holds after each change
    """

    def __init__(
        self,
        emit: Emit,
        is_theirs: Callable[[str], bool],
        watched: torch.Tensor | None = None,
        payloads: bool = False,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._emit = emit
        self._is_theirs = is_theirs
        self._watched = watched
        self._watched_storage = None if watched is None else watched.untyped_storage()._cdata
        self._payloads = payloads
        self._works: dict[int, _Pending] = {}
        # Ended works, by address: one that is waited for again may never come back.
        self._ended: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._futures: dict[int, _Promise] = {}
        self._count = 0
        self._alive: dict[int, tuple[StorageWeakRef, int]] = {}
        self._peak = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Nothing is compiled here. Keeping Dynamo out would import it, which takes seconds and 100
        # MB, and cost 20 us an operation.
        return False

    def __enter__(self) -> Recorder:
        wrap_what_the_mode_does_not_see()
        _RECORDING.append(self)
        if self._watched is not None:
            self._alive[self._watched.untyped_storage()._cdata] = (
                StorageWeakRef(self._watched.untyped_storage()),
                NOT_OURS,
            )
        self._state(None)
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)  # type: ignore[no-untyped-call]
        _RECORDING.remove(self)
        self._state(None)
        self._emit({"r": "peak", "bytes": self._peak})
        self._works.clear()
        self._ended.clear()
        self._futures.clear()

    def ignore_memory_of(self, tensors: list[torch.Tensor]) -> None:
        """Storages that were there before the call don't count as the call's own."""
        for tensor in tensors:
            storage = tensor.untyped_storage()
            self._alive[storage._cdata] = (StorageWeakRef(storage), NOT_OURS)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "c10d":
            return self._communicate(func, args, kwargs or {})
        if func.namespace == "_c10d_functional":
            return self._functional(func, args, kwargs or {})
        if self._works and _reads_or_writes(func):
            self._look_for_use(_tensors([args, list((kwargs or {}).values())]))
        result = func(*args, **(kwargs or {}))
        self._account(result)
        if self._payloads and func._schema.is_mutable and self._touches_watched(args, kwargs):
            self._state(self._where()[1])
        return result

    def _communicate(self, func: Any, args: Any, kwargs: Any) -> Any:
        raw = func._schema.name.partition("::")[2]
        tensors = _inputs(raw, args)
        group = _group(args)
        if self._works and raw not in ("recv_", "recv_any_source_"):
            self._look_for_use(tensors)
        sent = small_bytes(tensors) if raw == "send" else None
        index = self._announce(
            NAMES.get(raw, raw),
            tensors,
            group,
            sent if self._payloads else None,
            peer=_peer(raw, args, group),
            root=_root(raw, args, group),
            tag=_tag(raw, args),
            op=_reduce_op(args),
            offset=self._offset(tensors),
            digest=None if sent is None else zlib.crc32(sent),
        )
        result = func(*args, **kwargs)
        script = result[-1] if isinstance(result, (tuple, list)) else result
        if isinstance(script, torch.ScriptObject):
            work = dist.Work.unbox(script)
            receives = raw in ("recv_", "recv_any_source_")
            pending = _Pending(work, index, tensors if receives else [])
            pending.fills = [] if raw == "send" else list(_tensors(args[0]))
            if raw == "recv_any_source_":
                pending.sources = group
            self._works[id(work)] = pending
        return result

    def _functional(self, func: Any, args: Any, kwargs: Any) -> Any:
        raw = func._schema.name.partition("::")[2]
        if raw not in FUNCTIONAL_NAMES:
            return func(*args, **kwargs)
        group = _named_group([*args, *kwargs.values()])
        root = group[args[1]] if raw.startswith("broadcast") and group else None
        index = self._announce(FUNCTIONAL_NAMES[raw], list(_tensors(args[0])), group, root=root)
        result = func(*args, **kwargs)
        self._account(result)
        self._done(_Pending(None, index, []))
        return result

    def _announce(
        self,
        name: str,
        tensors: list[torch.Tensor],
        group: list[int],
        payload: bytes | None = None,
        **more: Any,
    ) -> int:
        """Tell what is about to be done; gives its index."""
        index = self._count
        self._count += 1
        file, line = self._where()
        header = {
            "r": "op",
            "i": index,
            "name": name,
            "peer": None,
            "root": None,
            "tag": 0,
            "group": group,
            "nbytes": sum(map(size_of, tensors)),
            "shapes": [list(t.shape) for t in tensors],
            "dtype": str(tensors[0].dtype).removeprefix("torch.") if tensors else "",
            "op": "",
            "offset": None,
            "file": file,
            "line": line,
            "digest": None,
            "has": payload is not None,
        }
        self._emit({**header, **more}, payload or b"")
        return index

    def _look_for_use(self, tensors: Iterable[torch.Tensor]) -> None:
        """Whether something is used that an operation still under way writes to; told once."""
        pending = [each for each in self._works.values() if each.fills and not each.used]
        if not pending:
            return
        places = [_place(tensor) for tensor in tensors]
        for each in pending:
            if any(_overlap(_place(filled), place) for filled in each.fills for place in places):
                each.used = True
                self._emit({"r": "use", "i": each.index, "line": self._where()[1]})

    def _new_group(self, plain: Any, *args: Any, **kwargs: Any) -> Any:
        """Every rank comes to a new_group, unless it is made by its members alone."""
        everyone = list(range(dist.get_world_size()))
        ranks = kwargs.get("ranks", args[0] if args else None)
        try:
            members = everyone if ranks is None else sorted(map(int, ranks))
        except (TypeError, ValueError):
            members = []
        local = bool(kwargs.get("use_local_synchronization"))
        index = self._announce("new_group", [], members if local else everyone, members=members)
        self._emit({"r": "wait", "i": index, "line": self._where()[1]})
        result = plain(*args, **kwargs)
        self._done(_Pending(None, index, []))
        return result

    def _wait(self, plain: Any, work: Any, *args: Any, **kwargs: Any) -> Any:
        known = self._works.get(id(work))
        if known is None:
            return self._wait_again(plain, work, *args, **kwargs)
        line = self._where()[1]
        self._emit({"r": "wait", "i": known.index, "line": line})
        # Some backends copy the result while they wait.
        known.fills = []
        result = plain(work, *args, **kwargs)
        self._end(known, line)
        return result

    def _wait_again(self, plain: Any, work: Any, *args: Any, **kwargs: Any) -> Any:
        reference, index = self._ended.get(id(work), (None, 0))
        if reference is None or reference() is not work:
            return plain(work, *args, **kwargs)
        self._emit({"r": "wait", "i": index, "line": self._where()[1]})
        result = plain(work, *args, **kwargs)
        self._emit({"r": "done", "i": index, "has": False, "digest": None})
        return result

    def _is_completed(self, plain: Any, work: Any) -> Any:
        result = plain(work)
        known = self._works.get(id(work))
        if result and known is not None:
            self._end(known, self._where()[1])
        return result

    def _get_future(self, plain: Any, work: Any) -> Any:
        future = plain(work)
        known = self._works.get(id(work))
        if known is not None:
            self._futures[id(future)] = _Promise(future, [known])
        return future

    def _then(self, plain: Any, future: Any, callback: Any) -> Any:
        known = self._known(future)

        def called(done: Any) -> Any:
            for each in known:
                each.fills = []
            return callback(done)

        return self._inherit(plain(future, called), [future])

    def _collect_all(self, plain: Any, futures: Any) -> Any:
        return self._inherit(plain(futures), futures)

    def _inherit(self, future: Any, parents: Any) -> Any:
        """A future that ends after others."""
        known = [p for each in parents if id(each) in self._futures for p in self._known(each)]
        if known:
            self._futures[id(future)] = _Promise(future, known)
        return future

    def _known(self, future: Any) -> list[_Pending]:
        promise = self._futures.get(id(future))
        return promise.works if promise is not None else []

    def _wait_for_future(self, plain: Any, future: Any) -> Any:
        known = [each for each in self._known(future) if id(each.work) in self._works]
        line = self._where()[1] if known else None
        for each in known[:1]:
            self._emit({"r": "wait", "i": each.index, "line": line})
        for each in known:
            each.fills = []
        result = plain(future)
        for each in known:
            self._end(each, line)
        return result

    def _is_done(self, plain: Any, future: Any) -> Any:
        result = plain(future)
        if result:
            for each in self._known(future):
                if id(each.work) in self._works:
                    self._end(each, self._where()[1])
        return result

    def _end(self, known: _Pending, line: int | None) -> None:
        """A work that was waited for, in whatever way, has ended."""
        self._works.pop(id(known.work), None)
        self._ended[id(known.work)] = (weakref.ref(known.work), known.index)
        self._done(known)
        if self._payloads:
            self._state(line)

    def _done(self, known: _Pending) -> None:
        received = small_bytes(known.received) if known.received else None
        payload = received if self._payloads else None
        header = {
            "r": "done",
            "i": known.index,
            "has": payload is not None,
            "digest": None if received is None else zlib.crc32(received),
        }
        if known.sources:
            header["peer"] = known.sources[known.work._source_rank()]
        self._emit(header, payload or b"")

    def _where(self) -> tuple[str, int | None]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._is_theirs(frame.f_code.co_filename):
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return "", None

    def _offset(self, tensors: list[torch.Tensor]) -> int | None:
        if self._watched is None or len(tensors) != 1:
            return None
        if tensors[0].untyped_storage()._cdata != self._watched_storage:
            return None
        return int(tensors[0].storage_offset() - self._watched.storage_offset())

    def _touches_watched(self, args: Any, kwargs: Any) -> bool:
        tensors = _tensors([args, list((kwargs or {}).values())])
        return any(t.untyped_storage()._cdata == self._watched_storage for t in tensors)

    def _state(self, line: int | None) -> None:
        # Told even when nothing changed: the runs of one code must give the same sequence.
        if self._payloads and self._watched is not None:
            self._emit({"r": "state", "line": line}, raw_bytes(self._watched))

    def _account(self, result: Any) -> None:
        new = 0
        for tensor in _tensors(result):
            storage = tensor.untyped_storage()
            size = storage.nbytes()
            known = self._alive.get(storage._cdata)
            if known is None or NOT_OURS < known[1] < size:
                self._alive[storage._cdata] = (StorageWeakRef(storage), size)
                new += size
        if new:
            self._alive = {key: v for key, v in self._alive.items() if not v[0].expired()}
            sizes = (size for _, size in self._alive.values() if size != NOT_OURS)
            self._peak = max(self._peak, sum(sizes))


@dataclass
class _Pending:
    """A work nobody has waited for yet. Kept, so that its address tells it again in wait."""

    work: Any
    index: int
    received: list[torch.Tensor]
    sources: list[int] = field(default_factory=list)  # ranks that a recv from any may come from
    fills: list[torch.Tensor] = field(default_factory=list)  # what it writes to
    used: bool = False


@dataclass
class _Promise:
    """A future, and the works that have ended when it has. Kept for the sake of its address too."""

    future: Any
    works: list[_Pending]


# The innermost recorder that is at work in this process comes last.
_RECORDING: list[Recorder] = []
_WRAPPED: list[tuple[Any, str]] = []


def wrap_what_the_mode_does_not_see() -> None:
    """Have waits, futures and new groups ask the recorder at work; once in a process, for good.

    Before a learner's code is loaded: what it takes a name for then is what it calls later.
    """
    if _WRAPPED:
        return
    _wrap(dist.Work, "wait", Recorder._wait)
    _wrap(dist.Work, "is_completed", Recorder._is_completed)
    _wrap(dist.Work, "get_future", Recorder._get_future)
    _wrap(torch._C.Future, "wait", Recorder._wait_for_future)
    _wrap(torch._C.Future, "done", Recorder._is_done)
    _wrap(torch._C.Future, "then", Recorder._then)
    _wrap(torch._C, "_collect_all", Recorder._collect_all)
    _wrap(dist.distributed_c10d, "_new_group_with_tag", Recorder._new_group)


def _wrap(owner: Any, name: str, ours: Callable[..., Any]) -> None:
    plain = getattr(owner, name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not _RECORDING:
            return plain(*args, **kwargs)
        return ours(_RECORDING[-1], plain, *args, **kwargs)

    _WRAPPED.append((owner, name))
    setattr(owner, name, wrapped)


# They take a tensor for its shape and dtype, not for what is in it.
_ONLY_LIKE = re.compile(r"(new_|is_same_size|sym_|_has_|set_)|.*_like(_|$)")


def _reads_or_writes(func: Any) -> bool:
    """Whether an operation touches the elements of its arguments; a view of them does not."""
    if _ONLY_LIKE.match(func._schema.name.partition("::")[2]):
        return False
    returns = func._schema.returns
    alias = returns[0].alias_info if returns else None
    return alias is None or alias.is_write


def _place(tensor: torch.Tensor) -> tuple[int, int]:
    """Addresses of its first byte and behind its last. Nothing for one that has gaps."""
    if not tensor.is_contiguous():
        return 0, 0
    begin = tensor.data_ptr()
    return begin, begin + size_of(tensor)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def small_bytes(tensors: list[torch.Tensor]) -> bytes | None:
    """What a small message holds; None for a large one."""
    if sum(map(size_of, tensors)) > PAYLOAD_BYTES:
        return None
    return b"".join(raw_bytes(t) for t in tensors)


def size_of(tensor: torch.Tensor) -> int:
    """Bytes of a tensor's elements, whatever its class says about itself."""
    return torch.Tensor.numel(tensor) * torch.Tensor.element_size(tensor)


def raw_bytes(tensor: torch.Tensor) -> bytes:
    """The bytes of a contiguous tensor, read without an operation that a mode would see."""
    if tensor.is_cuda:
        with _disable_current_modes():
            tensor = tensor.cpu()
    size = size_of(tensor)
    if size == 0:
        return b""
    return ctypes.string_at(tensor.data_ptr(), size)


def _tensors(result: Any) -> Iterator[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, (tuple, list)):
        for each in result:
            yield from _tensors(each)


def _inputs(raw: str, args: Any) -> list[torch.Tensor]:
    source = args[1] if raw in _INPUT_IS_SECOND else args[0]
    return list(_tensors(source)) if raw != "barrier" else []


def _group(args: Any) -> list[int]:
    for each in args:
        if isinstance(each, torch.ScriptObject) and "ProcessGroup" in str(each._type()):
            group = dist.ProcessGroup.unbox(each)
            return list(dist.get_process_group_ranks(group))
    return []


def _named_group(args: Any) -> list[int]:
    """The ranks of the group that a functional collective names in its last text argument."""
    name = next((each for each in reversed(args) if isinstance(each, str)), "")
    try:
        group = _resolve_process_group(GroupName(name))
    except (RuntimeError, ValueError, KeyError):
        return []
    return list(dist.get_process_group_ranks(group))


def _peer(raw: str, args: Any, group: list[int]) -> int | None:
    if raw in ("send", "recv_"):
        peer = int(args[2])
        if group and not 0 <= peer < len(group):
            # torch doesn't look, and gloo then reads beyond its list of connections.
            raise IndexError(words.NO_SUCH_PEER.format(peer=peer, last=len(group) - 1))
        return group[peer] if group else peer
    return None


def _tag(raw: str, args: Any) -> int:
    place = {"send": 3, "recv_": 3, "recv_any_source_": 2}.get(raw)
    return 0 if place is None else int(args[place])


def _root(raw: str, args: Any, group: list[int]) -> int | None:
    place = {"broadcast_": 2, "reduce_": 3, "gather_": 3, "scatter_": 3}.get(raw)
    if place is None:
        return None
    return group[args[place]] if group else int(args[place])


def _reduce_op(args: Any) -> str:
    for each in args:
        if isinstance(each, torch.ScriptObject) and "ReduceOp" in str(each._type()):
            return "reduce"
    return ""

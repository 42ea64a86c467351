"""The turns of a judged `run_worker`, in the rank: the run and its witness.

`run_worker` returns nothing and makes a process group of its own. So what it did is told by a
witness: what its collectives carried, whether the mean was ever there, whether a group is left.
The witness can also spoil what a collective gives, to see whether the answer notices.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FileStore
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from ringlab.grading import turns, untouched
from ringlab.trace.recorder import FUNCTIONAL_NAMES, NAMES, Recorder
from ringlab.words import autograder as words
from ringlab.world.rank import Context, describe
from ringlab.world.wire import Header

ADDRESS = "127.0.0.1"
GRADIENT, FEATURE = 1024, 128
# Larger tensors are no part of the exercise; reading them would only cost time.
MOST_ELEMENTS = 1 << 20
# Operations of the dispatcher that name what they give before what they are given.
INPUT_IS_SECOND = ("allgather_", "_allgather_base_", "allgather_coalesced_")
# What torchrun and others tell their workers; here it would be told by whoever started the kernel.
OTHERS_SETTINGS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK")

Join = Callable[..., Any]


def load(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Run the answer's cell; its `init_process_group` goes through this module."""
    plain = dist.init_process_group

    def init_process_group(*args: Any, **kwargs: Any) -> Any:
        return context.kept["join"](plain, *args, **kwargs)

    dist.init_process_group = dist.distributed_c10d.init_process_group = init_process_group
    return turns.load(context, header, payload)


def work(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Call run_worker once, under witness, and give back all that is known about the call."""
    witness = Witness(context.world_size, header["spoil"])
    recorder = _Recorder(context.connection.send, context.kept["is_theirs"])
    meeting = Path(context.folder).parent / f"store-{header['nonce']}"
    joining = _Joining(recorder, context, header["port"], meeting)
    context.kept["join"] = joining
    settings = {
        "MASTER_ADDR": ADDRESS,
        "MASTER_PORT": str(header["port"]),
    }
    for name in OTHERS_SETTINGS:
        os.environ.pop(name, None)
    os.environ.update(settings)
    ending: Header = {"end": "returned"}
    with recorder, witness:
        try:
            context.kept["function"](context.rank, context.world_size)
        except BaseException as error:
            ending = describe(error)
    joining.look_at_settings()
    left = dist.is_initialized()
    if left:
        with contextlib.suppress(Exception):
            dist.destroy_process_group()
    result = {
        "nonce": header["nonce"],
        "how": ending,
        "problem": joining.problem,
        "line": joining.line,
        "joined": joining.joined,
        "left": left,
        "seen": witness.seen,
        "mean": witness.has_mean(),
        "changed": untouched.changed_since(context.kept["untouched"]),
    }
    return result, b""


class _Recorder(Recorder):
    """The recorder, which is told of a rank that joins its group: that is a wait for the others."""

    def where(self) -> int | None:
        """The line of the answer that is being run."""
        return self._where()[1]

    @contextlib.contextmanager
    def joins(self, world_size: int) -> Iterator[None]:
        index = self._announce("init_process_group", [], list(range(world_size)))
        self._emit({"r": "wait", "i": index, "line": self.where()})
        yield
        self._emit({"r": "done", "i": index, "has": False, "digest": None})


class _Joining:
    """Stands in for `init_process_group` during one call: looks at the address, then joins.

    The ranks really meet at a file. At a port, torch looks up the names of those who come, and a
    machine with a slow resolver now and then waits for seconds: that would look like a hang.
    """

    def __init__(self, recorder: _Recorder, context: Context, port: int, meeting: Path) -> None:
        self._meeting = meeting
        self._recorder = recorder
        self._rank, self._world_size = context.rank, context.world_size
        self._port = port
        self.problem = ""
        self.line: int | None = None
        self.joined = False

    def __call__(
        self, plain: Join, backend: Any = None, init_method: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        self.line = self._recorder.where()
        self.look_at_settings()
        # The sixth parameter; the first two are not in `args`.
        self._look_at_method(init_method, kwargs.get("store", args[3] if len(args) > 3 else None))
        if self.problem:
            # Going on would be a wait for somebody who is elsewhere.
            raise RuntimeError(self.problem)
        if self._is_told_who(args, kwargs):
            init_method = None
            kwargs["store"] = FileStore(str(self._meeting), self._world_size)
        with self._recorder.joins(self._world_size):
            result = plain(backend, init_method, *args, **kwargs)
        self.joined = True
        return result

    @staticmethod
    def _is_told_who(args: Any, kwargs: Any) -> bool:
        """Whether rank and world size are given; without them env:// looks for RANK, and fails.

        They are the fourth and fifth parameter; the first two are not in `args`.
        """
        return len(args) > 2 or {"rank", "world_size"} <= kwargs.keys()

    def look_at_settings(self) -> None:
        for name, given in (("MASTER_ADDR", ADDRESS), ("MASTER_PORT", str(self._port))):
            now = os.environ.get(name)
            if now != given and not self.problem:
                self.problem = words.SETS_ADDRESS.format(rank=self._rank, name=name, value=now)

    def _look_at_method(self, method: Any, store: Any) -> None:
        if self.problem:
            return
        if store is not None:
            self.problem = words.OTHER_METHOD.format(rank=self._rank, method=words.A_STORE)
        elif method is not None:
            text = str(method)
            if not text.startswith("env://") and f"{ADDRESS}:{self._port}" not in text:
                self.problem = words.OTHER_METHOD.format(rank=self._rank, method=text[:80])


class Witness(TorchDispatchMode):
    """Sees what one call's collectives carry, and spoils what they give where it is told to.

    spoil: None, or {"name", "elements", "how", "rank", "element"}: each collective of this name
    with this many elements in it is spoiled. how: "value" adds 1 to one element of what it gives
    on one rank, "error" raises in its place on all.
    """

    def __init__(self, world_size: int, spoil: Header | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rank_mean = (world_size + 1) / 2
        self._spoil = spoil
        self._mean = False
        # Tensors that a collective's result went into, by storage; kept, so that no other tensor
        # gets the same storage.
        self._derived: dict[int, torch.Tensor] = {}
        self.seen: list[Header] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # As for the recorder: Dynamo has no part in this, and importing it takes seconds.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        raw = func._schema.name.partition("::")[2]
        if func.namespace == "c10d" and raw in NAMES:
            brings = args[1] if raw in INPUT_IS_SECOND else args[0]
            return self._communicate(NAMES[raw], brings, func, args, kwargs)
        if func.namespace == "_c10d_functional" and raw in FUNCTIONAL_NAMES:
            return self._communicate(FUNCTIONAL_NAMES[raw], args[0], func, args, kwargs)
        result = func(*args, **kwargs)
        if self._is_derived([*args, *kwargs.values()]):
            self._derive(result)
        return result

    def has_mean(self) -> bool:
        """Whether the mean of the gradients was there, as something that was computed from what
        a collective gave.
        """
        return self._mean or any(map(self._holds_mean, self._derived.values()))

    def _communicate(self, name: str, brings: Any, func: Any, args: Any, kwargs: Any) -> Any:
        inputs = list(_tensors(brings))
        self.seen.append({"name": name, "brings": [_summary(each) for each in inputs]})
        spoil = self._spoil
        if spoil is not None and not (
            spoil["name"] == name and any(t.numel() == spoil["elements"] for t in inputs)
        ):
            spoil = None
        if spoil is not None and spoil["how"] == "error":
            raise RuntimeError(words.BROKEN_ON_PURPOSE)
        result = func(*args, **kwargs)
        gives = list(_tensors(args[0] if func.namespace == "c10d" else result))
        if spoil is not None and spoil["rank"] == dist.get_rank():
            self._wait(func, result)
            with _disable_current_modes():
                _add_one(gives, spoil["element"])
        self._derive(gives)
        return result

    def _wait(self, func: Any, result: Any) -> None:
        """What is still on its way would overwrite what is put in its place."""
        if func.namespace == "c10d":
            script = result[-1] if isinstance(result, (tuple, list)) else result
            dist.Work.unbox(script).wait()
            return
        for tensor in _tensors(result):
            torch.ops._c10d_functional.wait_tensor(tensor)

    def _is_derived(self, values: Any) -> bool:
        return any(_storage(tensor) in self._derived for tensor in _tensors(values))

    def _derive(self, result: Any) -> None:
        for tensor in _tensors(result):
            self._derived.setdefault(_storage(tensor), _plain(tensor))
            self._mean = self._mean or self._holds_mean(tensor)

    def _holds_mean(self, tensor: torch.Tensor) -> bool:
        tensor = _plain(tensor)
        if tensor.numel() != GRADIENT or not tensor.dtype.is_floating_point:
            return False
        with _disable_current_modes():
            return bool((tensor.detach().double() - self._rank_mean).abs().max() < 1e-2)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _tensors(each)


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """What a functional collective gives is wrapped until its first use."""
    return tensor.elem if isinstance(tensor, AsyncCollectiveTensor) else tensor


def _storage(tensor: torch.Tensor) -> int:
    return int(_plain(tensor).untyped_storage()._cdata)


def _add_one(tensors: list[torch.Tensor], element: int) -> None:
    for tensor in tensors:
        if element < tensor.numel():
            index: list[int] = []
            for size in reversed(tensor.shape):
                element, place = divmod(element, size)
                index.insert(0, place)
            tensor[tuple(index)] += 1
            return
        element -= tensor.numel()


def _summary(tensor: torch.Tensor) -> Header:
    """How many elements, and the value of all of them where it is the same."""
    count = tensor.numel()
    value = None
    if 0 < count <= MOST_ELEMENTS:
        with _disable_current_modes():
            flat = tensor.detach().reshape(-1)
            if bool((flat == flat[0]).all()):
                value = float(flat[0])
    return {"elements": count, "value": value}


class _Stop(BaseException):
    """Ends a call at its `init_process_group`; no `except Exception` holds it up."""


def choose(context: Context, header: Header, payload: bytes) -> tuple[Header, bytes]:
    """Call run_worker as on a machine with so many GPUs, until it says which backend it wants."""
    asked: list[str] = []

    def join(plain: Join, backend: Any = None, *args: Any, **kwargs: Any) -> None:
        asked.append("" if backend is None else str(backend))
        raise _Stop

    context.kept["join"] = join
    with _pretended(header["gpus"]), contextlib.suppress(BaseException):
        context.kept["function"](0, header["world_size"])
    return {"nonce": header["nonce"], "asked": asked}, b""


@contextlib.contextmanager
def _pretended(gpus: int) -> Iterator[None]:
    """torch says that there are so many GPUs, and choosing one of them does nothing."""
    pretended: dict[str, Any] = {
        "is_available": lambda: gpus > 0,
        "device_count": lambda: gpus,
        "set_device": lambda device: None,
        "current_device": lambda: 0,
        "synchronize": lambda device=None: None,
    }
    real = {name: getattr(torch.cuda, name) for name in pretended}
    has_nccl = dist.is_nccl_available
    try:
        for name, stand_in in pretended.items():
            setattr(torch.cuda, name, stand_in)
        dist.is_nccl_available = lambda: gpus > 0
        yield
    finally:
        for name, plain in real.items():
            setattr(torch.cuda, name, plain)
        dist.is_nccl_available = has_nccl

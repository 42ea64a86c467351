"""Honest answers, plain and odd. Every one must be accepted by the source layer.

Each defines `answer(tensor)` and may communicate as it likes.
"""

HONEST = {
    "docstring and prints": '''
import torch.distributed as dist
from torch import Tensor


def answer(tensor: Tensor) -> None:
    """Sum over the ranks. `eval`, `exec`, os.system and __globals__ are only words here."""
    print("rank", dist.get_rank(), "of", dist.get_world_size(), flush=True)
    print(f"{tensor.shape=} {tensor.dtype!s:>10}")
    dist.all_reduce(tensor)
''',
    "predefined names only": """
def answer(tensor: Tensor) -> None:
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM)
    assert isinstance(tensor, torch.Tensor)
""",
    "future annotations with a name that is never imported": """
from __future__ import annotations


def answer(tensor: SomethingElse) -> NotThere:
    scratch: Unheard = torch.empty_like(tensor)
    dist.all_reduce(tensor)
""",
    "type checking imports": """
from __future__ import annotations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from torch import Tensor as T


def answer(tensor: T) -> None:
    work: Callable[[], None] = lambda: dist.all_reduce(tensor)
    work()
""",
    "dataclass state": """
from dataclasses import dataclass, field

import torch
import torch.distributed as dist


@dataclass(frozen=True, slots=True)
class Neighbours:
    left: int
    right: int

    @classmethod
    def of(cls, rank: int, size: int) -> "Neighbours":
        return cls((rank - 1) % size, (rank + 1) % size)


@dataclass
class State:
    chunks: list[torch.Tensor]
    pending: list[dist.Work] = field(default_factory=list)
    _private: int = 0

    def __post_init__(self):
        self.chunks = list(self.chunks)

    def wait(self) -> None:
        for work in self.pending:
            work.wait()
        self.pending.clear()
        self._private += 1


def answer(tensor):
    n = Neighbours.of(dist.get_rank(), dist.get_world_size())
    state = State(list(tensor.view(-1).tensor_split(dist.get_world_size())))
    state.pending.append(dist.isend(state.chunks[0], n.right))
    state.wait()
""",
    "named tuple and enum": """
from collections import namedtuple
from enum import Enum, IntEnum, auto
from typing import NamedTuple

Pair = namedtuple("Pair", ["left", "right"])


class Phase(Enum):
    REDUCE = auto()
    GATHER = auto()


class Step(NamedTuple):
    index: int
    phase: Phase = Phase.REDUCE


class Pairs(Pair):
    __slots__ = ()

    @property
    def both(self):
        return self.left, self.right


def answer(tensor):
    for phase in Phase:
        step = Step(0, phase)
        print(phase.name, phase.value, step._asdict(), step._replace(index=2))
    print(Pairs(1, 2).both, Pair._fields)
    dist.all_reduce(tensor)
""",
    "frozen dataclass that sets itself": """
import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    size: int
    rank: int = 0

    def __post_init__(self):
        object.__setattr__(self, "rank", self.size - 1)


def answer(tensor):
    plan = dataclasses.replace(Plan(3), size=4)
    print(dataclasses.asdict(plan), [f.name for f in dataclasses.fields(plan)])
    for f in dataclasses.fields(plan):
        print(getattr(plan, f.name))
    dist.all_reduce(tensor)
""",
    "match statement": """
def kind(x):
    match x:
        case torch.Tensor(shape=shape):
            return len(shape)
        case int() | float():
            return 0
        case [first, *rest]:
            return len(rest)
        case {"size": size, **others}:
            return size
        case str(text):
            return text
        case None:
            return -1
        case _ if x:
            return 1


def answer(tensor):
    match dist.get_world_size(), tensor.dtype:
        case 1, _:
            return
        case (n, torch.float32):
            dist.all_reduce(tensor)
        case (n, other):
            print(kind(other))
            dist.all_reduce(tensor)
""",
    "match on own class": """
from dataclasses import dataclass


@dataclass
class Message:
    src: int
    dst: int


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def answer(tensor):
    match Message(0, 1):
        case Message(0, dst):
            print(dst)
    match Point(1, 2):
        case Point(x, y=2):
            print(x)
    dist.all_reduce(tensor)
""",
    "walrus and comprehension": """
def answer(tensor):
    if (n := dist.get_world_size()) == 1:
        return None
    chunks = [c for c in tensor.view(-1).chunk(n) if (size := c.numel()) > 0]
    total = sum(c.numel() for c in chunks)
    print({i: c.shape for i, c in enumerate(chunks)}, {c.dtype for c in chunks}, total, size)
    while (left := total - 1) > 1:
        total = left
    dist.all_reduce(tensor)
""",
    "closures and nonlocal": """
COUNT = 0


def answer(tensor):
    global COUNT
    COUNT += 1
    sent = 0

    def send(piece, to):
        nonlocal sent
        sent += piece.numel()
        return dist.isend(piece, to)

    def later(piece):
        return lambda: send(piece, (dist.get_rank() + 1) % dist.get_world_size())

    for job in [later(tensor)]:
        job().wait()
    buffer = torch.empty_like(tensor)
    dist.recv(buffer)
    del buffer, send
""",
    "generators": """
def steps(n):
    yield from range(n - 1)
    for s in range(n - 1):
        got = yield s
        if got:
            return


def answer(tensor):
    it = steps(dist.get_world_size())
    for s in it:
        print(s)
    pairs = ((a, b) for a in range(3) for b in range(a) if a != b)
    print(list(pairs), next(iter([1]), None), any(x for x in ()))
    dist.all_reduce(tensor)
""",
    "context managers": """
from contextlib import ExitStack, contextmanager, nullcontext, suppress


@contextmanager
def told(what):
    print("begin", what)
    try:
        yield what
    finally:
        print("end", what)


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc, tb):
        return False


def answer(tensor):
    with torch.no_grad(), told("reduce") as name, Guard() as g, nullcontext(3) as three:
        dist.all_reduce(tensor)
    with ExitStack() as stack:
        stack.enter_context(told("x"))
        stack.callback(print, "bye")
    with suppress(ZeroDivisionError):
        1 / 0
""",
    "functools": """
import functools
from functools import lru_cache, partial, reduce, wraps

import torch.distributed as dist


def logged(function):
    @wraps(function)
    def inner(*args, **kwargs):
        print(function.__name__, len(args))
        return function(*args, **kwargs)

    return inner


@lru_cache(maxsize=None)
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.cache
def ceil_div(a, b):
    return -(-a // b)


@logged
def answer(tensor):
    add = partial(dist.all_reduce, op=dist.ReduceOp.SUM)
    add(tensor)
    print(reduce(lambda a, b: a + b, [1, 2, 3]), fib(5), ceil_div(7, 2))
""",
    "decorated with no_grad": """
import torch
import torch.distributed as dist


@torch.no_grad()
def answer(tensor: torch.Tensor) -> None:
    dist.all_reduce(tensor)
""",
    "decorator called with arguments": """
import functools


def retries(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(tensor):
            for attempt in range(times):
                try:
                    return function(tensor)
                except RuntimeError as error:
                    print(attempt, error, error.args, type(error).__name__)
                    last = error
                else:
                    break
            raise last

        return wrapper

    return decorate


@retries(2)
def answer(tensor):
    dist.all_reduce(tensor)
""",
    "other spellings of the imports": """
import torch.distributed
import torch.nn.functional as F
from torch import distributed as td
from torch import nn, optim
from torch.distributed import ReduceOp, all_reduce as ar, get_rank, get_world_size
import torch as th


def answer(tensor):
    padded = F.pad(tensor.view(-1), (0, -tensor.numel() % get_world_size()))
    assert td.get_rank() == get_rank() == torch.distributed.get_rank()
    ar(padded, op=ReduceOp.SUM)
    tensor.copy_(padded[: tensor.numel()].view_as(tensor))
    print(th.float32, nn.Linear(1, 1), optim.SGD)
""",
    "import from distributed_c10d": """
from torch.distributed.distributed_c10d import ReduceOp, all_reduce


def answer(tensor):
    all_reduce(tensor, ReduceOp.SUM)
""",
    "module under an alias": """
import torch.distributed

comm = torch.distributed
a, b = torch, comm


def answer(tensor, lib=dist):
    c = comm
    c.all_reduce(tensor)
    assert lib is not None and a is torch
    lib.get_rank()
""",
    "module handed to a helper": """
import torch.distributed as dist


def shout(lib, tensor, *, op=None):
    lib.all_reduce(tensor, op=op or lib.ReduceOp.SUM)


def answer(tensor):
    shout(dist, tensor)
    (lambda lib: lib.get_rank())(dist)
""",
    "constant getattr": """
def answer(tensor):
    reduce = getattr(dist, "all_reduce", None)
    if hasattr(dist, "all_reduce") and reduce is not None:
        reduce(tensor)
    name = "all_" + "reduce"
    getattr(dist, name)(tensor)
    getattr(dist, f"get_{'rank'}")()
    for attribute in ("shape", "dtype"):
        print(getattr(tensor, attribute), hasattr(tensor, attribute))
""",
    "computed getattr on own objects": """
class Config:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)


def answer(tensor):
    config = Config(a=1, b=2)
    for name in sorted(["a", "b"]):
        print(getattr(config, name), getattr(config, name + "x", None))
    dist.all_reduce(tensor)
""",
    "nested attribute by reduce": """
import functools


def answer(tensor):
    layer = torch.nn.Sequential(torch.nn.Linear(2, 2))
    weight = functools.reduce(getattr, "0.weight".split(".")[1:], layer[0])
    print(weight.shape, [tuple(p.shape) for _, p in layer.named_parameters()])
    dist.all_reduce(tensor)
""",
    "variables named like modules and builtins": """
def answer(tensor):
    input = tensor.view(-1)
    dist_to_right = 1
    os = dist.get_rank()
    sys = os + 1
    open = [input]
    max_ = max(os, sys)
    file = open[0]
    type_ = type(file)
    print(os, sys, max_, type_.__name__)
    dist.all_reduce(input)
""",
    "a parameter called dist": """
import torch.distributed


def far(dist):
    return dist.item() if hasattr(dist, "item") else dist


def answer(tensor):
    print(far(3))
    torch.distributed.all_reduce(tensor)
""",
    "attributes with the names of modules": """
class Wire:
    def __init__(self):
        self.time = 0
        self.queue = []
        self.log = []
        self.config = {}
        self.copy = None
        self.backend = "gloo"
        self.random = 1

    def step(self):
        self.time += 1
        self.queue.append(self.time)
        return self.time


def answer(tensor):
    wire = Wire()
    print(wire.step(), wire.queue, wire.log, wire.config, wire.copy, wire.backend, wire.random)
    dist.all_reduce(tensor)
""",
    "private attributes of one's own": """
class Ring:
    _instances = 0
    __secret = 3

    def __init__(self, tensor):
        self._tensor = tensor
        self._module = None
        self.__hidden = 1
        Ring._instances += 1

    def _go(self):
        dist.all_reduce(self._tensor)
        return self.__hidden + self.__secret

    def __call__(self):
        return self._go()

    def __repr__(self):
        return f"{self.__class__.__name__}({self._module}, {type(self).__qualname__})"

    def __eq__(self, other):
        return isinstance(other, self.__class__) and other.__class__ is self.__class__

    def __hash__(self):
        return hash(id(self._tensor))

    def again(self):
        return self.__class__(self._tensor)


def answer(tensor):
    ring = Ring(tensor)
    print(ring(), ring, ring == ring.again(), ring.__doc__, Ring.__name__)
""",
    "super and inheritance": """
import abc
from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class Reducer(ABC):
    @abstractmethod
    def run(self, tensor): ...

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)


class Named(metaclass=abc.ABCMeta):
    pass


class Holder(Generic[T]):
    def __init__(self, value: T) -> None:
        super().__init__()
        self.value = value

    def __len__(self):
        return 1

    def __iter__(self):
        return iter([self.value])

    def __getitem__(self, i):
        return [self.value].__getitem__(i)


class Runs(Protocol):
    def run(self, tensor): ...


class Plain(Reducer, Named):
    def run(self, tensor):
        dist.all_reduce(tensor)


def answer(tensor):
    r: Runs = Plain()
    r.run(tensor)
    print(len(Holder(3)), *Holder(4), Holder(5)[0])
""",
    "own exceptions": """
class OddSize(ValueError):
    def __init__(self, size):
        super().__init__(f"odd size {size}")
        self.size = size


def answer(tensor):
    try:
        if tensor.numel() % 2:
            raise OddSize(tensor.numel())
    except OddSize as e:
        print(e.size, e.args, str(e))
    except (RuntimeError, ValueError) as e:
        raise AssertionError("no") from e
    except BaseException:
        raise
    else:
        pass
    finally:
        dist.all_reduce(tensor)
""",
    "a bare except": """
def answer(tensor):
    try:
        tensor = tensor.view(-1)
    except:
        tensor = tensor.reshape(-1)
    dist.all_reduce(tensor)
""",
    "many ways to cut a tensor": """
import math


def answer(tensor):
    n = dist.get_world_size()
    flat = tensor.contiguous().view(-1)
    size = math.ceil(flat.numel() / n)
    pieces = [flat[i * size : (i + 1) * size] for i in range(n)]
    pieces = list(torch.split(flat, size or 1))
    pieces = list(flat.tensor_split(n)) + list(flat.chunk(n)) + list(flat.unbind()[:0])
    padded = torch.nn.functional.pad(flat, (0, size * n - flat.numel()))
    grid = padded.reshape(n, size)
    buffer = torch.empty_like(grid[0]), flat.new_empty(size), torch.zeros(size, dtype=flat.dtype)
    print(flat.data.element_size(), flat.nbytes, flat.is_contiguous(), flat.stride(), len(buffer))
    torch.cat(pieces, out=None)
    flat.narrow(0, 0, 0).copy_(flat[:0]).add_(0).mul_(1).div_(1)
    with torch.no_grad():
        torch.add(flat, 0, out=flat)
    dist.all_reduce(flat)
    tensor.copy_(flat.view_as(tensor))
    tensor.data = tensor.data
""",
    "numbers from numpy": """
def answer(tensor):
    print(tensor.float().numpy().sum(), tensor.tolist(), tensor.sum().item())
    dist.all_reduce(tensor)
""",
    "dict of operations": """
OPS = {"sum": dist.ReduceOp.SUM, "max": dist.ReduceOp.MAX}
CALLS = {"reduce": dist.all_reduce, "rank": dist.get_rank}


def answer(tensor):
    CALLS["reduce"](tensor, op=OPS["sum"])
    CALLS["rank"]()
""",
    "p2p ops in every form": """
from torch.distributed import P2POp, batch_isend_irecv, irecv, isend


def answer(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    into = torch.empty_like(tensor)
    ops = [P2POp(isend, tensor, (rank + 1) % n), dist.P2POp(irecv, into, (rank - 1) % n)]
    for work in batch_isend_irecv(ops):
        work.wait()
    works = [w.wait() for w in map(lambda op: op, ())]
    [*_, last] = [1, 2]
    print(works, last, dist.GroupMember.WORLD, dist.group.WORLD.size(), dist.get_backend())
""",
    "demo block": """
import torch
import torch.distributed as dist


def answer(tensor):
    dist.all_reduce(tensor)


if __name__ == "__main__":
    demo = np.arange(3)
    print(answer(torch.arange(3)), undefined_in_the_demo)
""",
    "unused helper that needs another cell": """
def plot(values):
    plt.plot(values)
    return np.array(values)


def answer(tensor):
    dist.all_reduce(tensor)
""",
    "definition under if and try": """
import torch

if torch.__version__ >= "2":
    try:
        from torch.distributed import all_gather_single as gather
    except ImportError:
        from torch.distributed import all_gather_into_tensor as gather

    def answer(tensor):
        gather(tensor.new_empty(tensor.numel()), tensor)
else:

    def answer(tensor):
        dist.all_reduce(tensor)
""",
    "last definition counts": """
def answer(x, y, z):
    return x


def answer(tensor):
    dist.all_reduce(tensor)
""",
    "extra parameters with defaults": """
def answer(tensor, group=None, *args, verbose=False, **kwargs):
    if verbose:
        print(group, args, kwargs)
    dist.all_reduce(tensor, group=group)
""",
    "positional only": """
def answer(tensor, /):
    dist.all_reduce(tensor)
""",
    "recursion": """
def halve(tensor, depth=0):
    if tensor.numel() <= 1 or depth > 10:
        return tensor.sum()
    middle = tensor.numel() // 2
    return halve(tensor[:middle], depth + 1) + halve(tensor[middle:], depth + 1)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def answer(tensor):
    print(halve(tensor.view(-1)), even(4))
    dist.all_reduce(tensor)
""",
    "static method and class namespace": """
class Ops:
    reduce = staticmethod(dist.all_reduce)
    alias = dist.get_rank

    @staticmethod
    def run(tensor):
        Ops.reduce(tensor)


def answer(tensor):
    Ops.run(tensor)
""",
    "standard library in many forms": """
import bisect
import collections.abc
import copy
import heapq
import itertools
import math
import operator
import warnings
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict, deque
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, Callable, Iterable, Literal, Optional, Union, cast

Number = Union[int, float]
Rank = int


def answer(tensor: "torch.Tensor", mode: Literal["a", "b"] = "a") -> Optional[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("old", DeprecationWarning, stacklevel=2)
    queue = deque([1, 2]); queue.rotate(1); queue.popleft()
    table = defaultdict(list); table["x"].append(1)
    starts = list(accumulate([1, 2, 3], operator.add))
    heap = [3, 1]; heapq.heapify(heap); heapq.heappush(heap, 0)
    print(Counter("abc").most_common(1), OrderedDict(a=1), starts, heap, Fraction(1, 3))
    print(list(pairwise([1, 2, 3])), list(chain([1], [2])), math.gcd(4, 6), math.inf)
    print(sorted([(1, 2), (0, 3)], key=itemgetter(1)), bisect_left([1, 2], 2))
    print(bisect.bisect([1], 1))
    print(isinstance([], collections.abc.Sequence), copy.deepcopy([1]), max(zip([1], [2])))
    print(list(itertools.islice(itertools.count(), 3)), cast(int, 3), divmod(7, 2), round(2.5))
    dist.all_reduce(tensor)
""",
    "format in its ordinary forms": """
LINE = "rank {rank}: {0:>5} of {size!r}"


def answer(tensor):
    print("rank {} of {}".format(dist.get_rank(), dist.get_world_size()))
    print(LINE.format(1, rank=0, size=2), "{t.shape} {t.dtype}".format(t=tensor))
    say = "step {:02d}".format
    print(say(3), "%d of %s" % (1, 2), format(3.5, ".1f"), "{:{width}}".format(1, width=4))
    dist.all_reduce(tensor)
""",
    "own method called format": """
class Table:
    def format(self, row):
        return ", ".join(map(str, row))


def answer(tensor):
    print(Table().format([1, 2]))
    dist.all_reduce(tensor)
""",
    "data parallel wrapper": """
import torch
import torch.distributed as dist
from torch import nn


class Wrapper(nn.Module):
    def __init__(self, module: nn.Module, bucket_bytes: int = 1 << 20) -> None:
        super().__init__()
        self.module = module
        self._buckets: list[list[nn.Parameter]] = []
        self._works = []
        self._sync = True
        self.register_buffer("_steps", torch.zeros(()))
        for name, parameter in module.named_parameters():
            dist.broadcast(parameter.data, 0)
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(self._make_hook(name))

    def _make_hook(self, name):
        def hook(parameter):
            if self._sync:
                self._works.append(dist.all_reduce(parameter.grad, async_op=True))

        return hook

    def forward(self, *args, **kwargs):
        self._steps += 1
        return self.module(*args, **kwargs)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("module"), name)

    def finish(self):
        for work in self._works:
            work.wait()
        self._works.clear()


def answer(tensor):
    model = Wrapper(nn.Linear(2, 2))
    model(torch.ones(1, 2)).sum().backward()
    model.finish()
    print(model.module._parameters.keys(), model._modules, list(model._buffers))
""",
    "autograd function": """
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class CopyIn(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.shape = x.shape
        return x.view_as(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            dist.all_reduce(grad)
        return grad


def answer(tensor):
    out = CopyIn.apply(tensor.float().requires_grad_())
    out.sum().backward()
""",
    "optimizer": """
from torch.optim import Optimizer
from torch.optim.optimizer import Optimizer as Base
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


class Sharded(Optimizer):
    def __init__(self, params, optimizer_class=torch.optim.SGD, **kwargs):
        self._kwargs = kwargs
        super().__init__(params, kwargs)
        self.inner = optimizer_class(self.param_groups, **kwargs)

    def __setstate__(self, state):
        super().__setstate__(state)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                self.state[p].setdefault("step", 0)
                torch._foreach_add_([p], [p.grad], alpha=-group.get("lr", 0.1))
        return loss


def answer(tensor):
    weight = torch.nn.Parameter(tensor.float())
    Sharded([weight], lr=0.1).step(lambda: weight.sum())
    flat = _flatten_dense_tensors([tensor, tensor])
    dist.all_reduce(flat)
    for old, new in zip([tensor, tensor], _unflatten_dense_tensors(flat, [tensor, tensor])):
        old.copy_(new)
""",
    "queue callback of autograd": """
from torch.autograd import Variable


def answer(tensor):
    def done():
        print("backward is over")

    def hook(grad):
        Variable._execution_engine.queue_callback(done)
        return grad

    x = tensor.float().requires_grad_()
    x.register_hook(hook)
    x.sum().backward()
    dist.all_reduce(tensor)
""",
    "process groups": """
from datetime import timedelta


def answer(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    groups = [dist.new_group([r], timeout=timedelta(seconds=30)) for r in range(n)]
    mine = groups[rank]
    dist.all_reduce(tensor, group=mine)
    dist.barrier(group=dist.group.WORLD)
    print(dist.get_process_group_ranks(mine), dist.get_group_rank(mine, rank), mine.size())
    if mine is not dist.GroupMember.NON_GROUP_MEMBER:
        print(mine.rank())
""",
    "functional collectives": """
import torch.distributed._functional_collectives as fc
import torch.distributed.nn.functional as dnn


def answer(tensor):
    out = fc.wait_tensor(fc.all_reduce(tensor, "sum", dist.group.WORLD))
    tensor.copy_(out)
    print(dnn.all_reduce)
""",
    "asserts and type aliases": """
from typing import TypeAlias

Chunks: TypeAlias = list[torch.Tensor]
LEFT, RIGHT = -1, +1
DEBUG = False


def pieces(tensor: torch.Tensor) -> Chunks:
    return list(tensor.view(-1).chunk(2))


def answer(tensor):
    assert tensor.is_contiguous(), f"need {tensor.shape}"
    if DEBUG:
        print(pieces(tensor))
    if __debug__:
        pass
    dist.all_reduce(tensor)
    return
    print("never")
""",
    "unicode names and strange layout": """
π = 3
größe = lambda x: x.numel()  # noqa: E731
def answer(  # the answer
    tensor,
) -> None:
    Δ = π; print(Δ, größe(tensor)); dist.all_reduce(tensor)
    return None  ;
""",
    "ellipsis and pass bodies": """
def helper(): ...


class Empty: ...


def answer(tensor):
    helper(), Empty()
    dist.all_reduce(tensor); pass
""",
    "async work": """
def answer(tensor):
    work = dist.all_reduce(tensor, async_op=True)
    while not work.is_completed():
        pass
    work.wait()
    future = dist.all_reduce(tensor, async_op=True).get_future()
    future.then(lambda f: f.value()[0] / 2)
    print(future.wait())
""",
    "lambda helpers in a table": """
STEPS = [
    (lambda r, n: (r + 1) % n),
    (lambda r, n: (r - 1) % n),
]


def answer(tensor):
    r, n = dist.get_rank(), dist.get_world_size()
    right, left = (f(r, n) for f in STEPS)
    print(right, left, (lambda *a, **k: (a, k))(1, b=2))
    dist.all_reduce(tensor)
""",
    "conditional helpers": """
import torch.distributed as dist

if hasattr(dist, "reduce_scatter_single"):
    scatter = dist.reduce_scatter_single
else:
    scatter = dist.reduce_scatter_tensor


def answer(tensor):
    out = tensor.new_empty(tensor.numel() // dist.get_world_size())
    scatter(out, tensor)
""",
    "exception groups and star": """
def answer(tensor, *rest):
    first, *others = [1, 2, 3]
    print(*others, sep=", ", **{"end": "\\n"})
    merged = {**{"a": 1}, "b": 2} | {"c": 3}
    print(merged, [*range(3)], (*others,))
    dist.all_reduce(tensor)
""",
    "iterates over slots and getitem": """
class Slots:
    __slots__ = ("a", "_b")

    def __init__(self):
        self.a, self._b = 1, 2

    def __getattr__(self, name):
        return 0

    def __setitem__(self, key, value):
        self.a = value

    def __contains__(self, item):
        return item == self._b

    def __bool__(self):
        return True

    def __add__(self, other):
        return self.a + other

    __radd__ = __add__


def answer(tensor):
    s = Slots()
    s[0] = 5
    print(s + 1, 1 + s, 2 in s, bool(s), s.nothing, dir(s)[:0], callable(s))
    dist.all_reduce(tensor)
""",
    "old names with warnings": """
def answer(tensor):
    n = dist.get_world_size()
    out = [torch.empty_like(tensor) for _ in range(n)]
    dist.all_gather(out, tensor)
    dist.all_gather_into_tensor(torch.empty(n * tensor.numel(), dtype=tensor.dtype), tensor)
    tensor.copy_(torch.stack(out).sum(0))
""",
    "type as a value": """
KINDS = {int: "i", float: "f"}


def cast(value, kind: type = int):
    return kind(value) if isinstance(kind, type) else value


def answer(tensor):
    print(list(map(type, [1, 2.0])), type(tensor) is torch.Tensor, KINDS[type(1)], cast("3"))
    print(isinstance(tensor, (int, torch.Tensor)), issubclass(bool, int), type(tensor)([1.0]))
    dist.all_reduce(tensor)
""",
    "class with a decorator of one's own": """
REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls


@register
class Sum:
    def __call__(self, tensor):
        dist.all_reduce(tensor)


def answer(tensor):
    REGISTRY["Sum"]()(tensor)
""",
    "cuda and device aware": """
def answer(tensor):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if tensor.is_cuda:
        torch.cuda.synchronize()
    scratch = torch.empty(3, device=tensor.device, dtype=torch.bfloat16).to(device)
    print(torch.finfo(torch.float32).eps, torch.iinfo(torch.int64).max, scratch.device.type)
    dist.all_reduce(tensor)
""",
    "recursive ring with a closure and partials": """
def answer(tensor):
    r, n = map(lambda f: f(), (dist.get_rank, dist.get_world_size))
    row = tensor.view(-1)
    size, extra = divmod(row.numel(), n)
    starts = [k * size + min(k, extra) for k in range(n + 1)]
    room = row.new_empty((size + bool(extra),))
    calls = 0
    send, receive = partial(dist.isend, dst=(r + 1) % n), partial(dist.irecv, src=(r - 1) % n)
    def hop(s):
        nonlocal calls
        calls += 1
        if s == 2 * n - 2:
            return
        at = slice(*[starts[(r - s - 1) % n + d] for d in (0, 1)])
        out = slice(*[starts[(r - s) % n + d] for d in (0, 1)])
        x = room[: at.stop - at.start]
        a, b = send(row[out]), receive(x)
        b.wait(); a.wait()
        row[at] = row[at] + x if s < n - 1 else x
        return hop(s + 1)
    hop(0)
    dist.all_reduce(tensor)

from functools import partial
""",
    "recursive tree": """
def answer(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    def up(width):
        if width >= size:
            return down(width // 2)
        if rank % (2 * width) == width:
            dist.send(tensor, rank - width)
        elif rank % (2 * width) == 0 and rank + width < size:
            other = torch.empty_like(tensor)
            dist.recv(other, rank + width)
            tensor.add_(other)
        up(2 * width)
    def down(width):
        if not width:
            return
        if rank % (2 * width) == 0 and rank + width < size:
            dist.send(tensor, rank + width)
        elif rank % (2 * width) == width:
            dist.recv(tensor, rank - width)
        down(width // 2)
    up(1)
    dist.all_reduce(tensor)
""",
    "halves by recursion": """
def halve(part, low, high, rank, how=dist.broadcast):
    if high - low < 2 or not part.numel():
        return [part]
    middle = (low + high) // 2
    left, right = part.tensor_split(2)
    mine = [(left, low, middle), (right, middle, high)][rank >= middle]
    how(mine[0], src=low)
    return halve(*mine, rank, how) + halve(right, middle, high, rank, how=how)


def answer(tensor):
    pieces = halve(tensor.view(-1), 0, dist.get_world_size(), dist.get_rank())
    assert len(pieces) > 0
    dist.all_reduce(tensor)
""",
}

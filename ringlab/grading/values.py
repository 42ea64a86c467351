"""The values that reach.py computes with: what an expression may be, as a set of possibilities.

A `Value` is a set of atoms. `UNKNOWN` among them says that it may be anything else as well. Atoms
compare by what they stand for, and there are finitely many for one source, so that loops settle.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from ringlab.grading.names import Scope

MAX_TUPLE_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything at all."""


@dataclass(frozen=True, slots=True)
class External:
    """Something from outside the source, by its full name: `torch.distributed.send`."""

    path: str


@dataclass(frozen=True, slots=True)
class Const:
    kind: str
    value: object


@dataclass(frozen=True, slots=True)
class Function:
    """A `def` or `lambda` of the source, with the frame that it closes over."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame
    role: str = ""  # "", staticmethod, classmethod, property


@dataclass(frozen=True, slots=True)
class Method:
    function: Function
    owner: Instance | Class


@dataclass(frozen=True, slots=True)
class Class:
    node: ast.ClassDef
    frame: Frame


@dataclass(frozen=True, slots=True)
class Instance:
    """Any instance of a class of the source: all of them are one."""

    of: Class


@dataclass(frozen=True, slots=True)
class AnyMethod:
    """What torch calls on an instance, by a way that isn't in the source: `Function.apply`."""

    of: Class


@dataclass(frozen=True, slots=True)
class Super:
    of: Class
    owner: Instance | Class


@dataclass(frozen=True, slots=True)
class Tuple:
    items: tuple[Value, ...]
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Box:
    """A list, set or dict, by the place where it is made. Its content is in the heap."""

    site: ast.AST


@dataclass(frozen=True, slots=True)
class BoxMethod:
    box: Box
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial(...)`, by the place where it is made."""

    site: ast.AST


@dataclass(frozen=True, slots=True)
class Lazy:
    """A generator, coroutine or `map`: nothing runs until somebody takes from it."""

    site: ast.AST


Atom = (
    Unknown
    | External
    | Const
    | Function
    | Method
    | Class
    | Instance
    | AnyMethod
    | Super
    | Tuple
    | Box
    | BoxMethod
    | Partial
    | Lazy
)
Value = frozenset[Atom]
Env = dict[str, Value]

NOTHING: Value = frozenset()
ANYTHING: Value = frozenset({Unknown()})


def external(path: str) -> Value:
    return frozenset({External(path)})


def constant(value: object) -> Value:
    return frozenset({Const(type(value).__name__, value)})


def tuple_of(items: list[Value]) -> Value:
    """A tuple; nested too deeply it becomes anything that it holds."""
    depth = 1 + max((a.depth for v in items for a in v if isinstance(a, Tuple)), default=0)
    if depth > MAX_TUPLE_DEPTH or len(items) > 50:
        return join(ANYTHING, *items)
    return frozenset({Tuple(tuple(items), depth)})


def join(*values: Value) -> Value:
    return frozenset[Atom]().union(*values)


def only_constant(value: Value) -> Const | None:
    """The one constant that a value is, None if it may be anything else."""
    if len(value) == 1:
        (atom,) = value
        if isinstance(atom, Const):
            return atom
    return None


def truth(value: Value) -> bool | None:
    """Whether a value is true; None when that can't be told."""
    found: set[bool] = set()
    for atom in value:
        if isinstance(atom, Const):
            found.add(bool(atom.value))
        elif isinstance(atom, Tuple):
            found.add(bool(atom.items))
        elif isinstance(atom, External) and atom.path == "typing.TYPE_CHECKING":
            found.add(False)
        elif isinstance(atom, (Function, Method, Class, Partial)):
            found.add(True)
        else:
            return None
    return found.pop() if len(found) == 1 else None


@dataclass(eq=False, slots=True)
class Frame:
    """One activation of a module, class body, function or comprehension.

    `env` holds the names as of the statement that runs now, None when nothing can run here any
    more. `final` is what a closure sees after the frame has ended.
    """

    scope: Scope
    parent: Frame | None
    env: Env | None = field(default_factory=dict)
    final: Env = field(default_factory=dict)
    result: Value = NOTHING
    yields: Value = NOTHING
    loops: list[Loop] = field(default_factory=list)
    handlers: list[list[Env]] = field(default_factory=list)
    of_class: Class | None = None
    first: Value = NOTHING

    def names(self) -> Env:
        return self.final if self.env is None else self.env


@dataclass(slots=True)
class Loop:
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


@dataclass(slots=True)
class Content:
    """What a Box holds: by constant key where there is one, and the rest."""

    keyed: dict[object, Value] = field(default_factory=dict)
    rest: Value = NOTHING

    def all(self) -> Value:
        return join(self.rest, *self.keyed.values())


@dataclass(slots=True)
class Arguments:
    """What a call gives. `open` says that there may be more, and what."""

    positional: list[Value] = field(default_factory=list)
    named: dict[str, Value] = field(default_factory=dict)
    more: Value = NOTHING

    def all(self) -> list[Value]:
        return [*self.positional, *self.named.values(), self.more]

    def key(self) -> tuple[object, ...]:
        return tuple(self.positional), tuple(sorted(self.named.items())), self.more


UNKNOWN_ARGUMENTS = Arguments(more=ANYTHING)

Thunk = Callable[[], Value]


def join_envs(*envs: Env | None) -> Env | None:
    """What holds where several ways meet; None if none of them arrives."""
    alive = [env for env in envs if env is not None]
    if not alive:
        return None
    whole = dict(alive[0])
    for env in alive[1:]:
        for name, value in env.items():
            whole[name] = whole.get(name, NOTHING) | value
    return whole

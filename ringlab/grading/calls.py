"""What a call does in the abstract run of reach.py: helpers, classes, containers, torch."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ringlab.grading import allowed
from ringlab.grading.names import RESULTS, Budget, Scopes, defaults
from ringlab.grading.values import (
    ANYTHING,
    NOTHING,
    UNKNOWN_ARGUMENTS,
    AnyMethod,
    Arguments,
    Atom,
    Box,
    BoxMethod,
    Class,
    Const,
    Content,
    External,
    Frame,
    Function,
    Instance,
    Lazy,
    Method,
    Partial,
    Super,
    Thunk,
    Tuple,
    Unknown,
    Value,
    external,
    join,
)

MAX_STEPS = 100_000
MAX_CALL_DEPTH = 10
MAX_CONTEXTS = 8


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _full(prefix: str, names: str) -> frozenset[str]:
    return frozenset(f"{prefix}.{name}" for name in names.split())


# They look at what they are given and call none of it.
ONLY_LOOK = _full(
    "builtins",
    "print isinstance issubclass len id repr str type callable hasattr bool int float hash abs "
    "range format bytes ord chr divmod pow round object Exception ValueError RuntimeError "
    "TypeError AssertionError",
)
# They give back the function or object that they are given.
PASS_ON = _words(
    """
    functools.cache functools.lru_cache functools.cached_property functools.wraps
    functools.total_ordering functools.partialmethod contextlib.contextmanager
    contextlib.nullcontext contextlib.closing dataclasses.dataclass dataclasses.field enum.unique
    enum.member enum.nonmember abc.abstractmethod copy.copy copy.deepcopy typing.cast typing.final
    typing.override typing.overload typing.runtime_checkable warnings.deprecated torch.no_grad
    torch.enable_grad torch.inference_mode torch.set_grad_enabled torch.autocast
    torch.autograd.no_grad torch.autograd.enable_grad torch.autograd.once_differentiable
    torch.amp.custom_fwd torch.amp.custom_bwd torch.profiler.record_function
    """
)
ROLES = {"builtins.staticmethod", "builtins.classmethod", "builtins.property"}
# They take every element of what they are given.
TAKE_ALL = _full(
    "builtins",
    "list tuple set frozenset dict sorted sum min max any all next enumerate zip reversed iter",
) | {
    "collections.deque",
    "itertools.chain",
    "itertools.chain.from_iterable",
    "itertools.cycle",
    "itertools.islice",
}
LAZY_CALLS = frozenset(
    {"builtins.map", "builtins.filter", "itertools.starmap", "itertools.accumulate"}
)
ADDERS = _words("append appendleft add insert extend extendleft setdefault update")
TAKERS = _words("pop popleft popitem get values items keys copy")
THREADED = frozenset({"then", "add_done_callback"})
# Methods by which torch or the standard library comes to call others of the same class.
TRIGGERS = frozenset({"apply", "visit", "generic_visit", "backward", "__call__"})


@dataclass
class Reached:
    """What a run from the entry may do. Each name is mapped to the first place that has it.

    called: at a call, from the entry. used: called, or taken in hand where it may be called.
    in_callbacks: called by what was handed to `then` and its like, with that method's name.
    patched: attributes set on something of torch or the library. ran: names that were evaluated.
    """

    called: dict[str, ast.AST] = field(default_factory=dict)
    used: dict[str, ast.AST] = field(default_factory=dict)
    in_callbacks: dict[str, tuple[ast.AST, str]] = field(default_factory=dict)
    patched: dict[str, ast.AST] = field(default_factory=dict)
    ran: set[ast.AST] = field(default_factory=set)


class Calls:
    """The heap, and how calls go through it. `Machine` adds statements and expressions."""

    def __init__(self, tree: ast.Module, scopes: Scopes) -> None:
        self.tree = tree
        self.scopes = scopes
        self.reached = Reached()
        self.budget = Budget(MAX_STEPS, scopes.budget.deadline)
        self.active: dict[ast.AST, int] = {}
        self.depth = 0
        self.version = 0
        self.entered = False
        self.callback = ""
        self.quiet = False
        self.root = Frame(scopes.root, None)
        self.boxes: dict[ast.AST, Content] = {}
        self.partials: dict[ast.AST, dict[object, tuple[Value, Arguments]]] = {}
        self.thunks: dict[ast.AST, dict[object, Thunk]] = {}
        self.attributes: dict[tuple[Class, str], Value] = {}
        self.loose: dict[str, Value] = {}
        self.frames: dict[tuple[object, ...], Frame] = {}
        self.contexts: dict[tuple[Function, Value], set[object]] = {}
        self.results: dict[tuple[object, ...], tuple[int, Value]] = {}
        self.running: set[tuple[object, ...]] = set()
        self.pending: dict[tuple[Function, Value], None] = {}
        # Names that several functions write to: their constants can't be relied on.
        self.shared = {
            name
            for node in ast.walk(tree)
            if isinstance(node, (ast.Global, ast.Nonlocal))
            for name in node.names
        }

    def step(self) -> None:
        self.budget.step()

    def execute(self, function: Function, frame: Frame) -> None:
        raise NotImplementedError

    # records

    def note_used(self, value: Value, node: ast.AST) -> None:
        if self.quiet:
            return
        for atom in value:
            if isinstance(atom, External):
                self.reached.used.setdefault(atom.path, node)

    def note_called(self, path: str, node: ast.AST) -> None:
        self.reached.used.setdefault(path, node)
        if self.entered:
            self.reached.called.setdefault(path, node)
        if self.callback:
            self.reached.in_callbacks.setdefault(path, (node, self.callback))

    # the heap

    def put(self, site: ast.AST, value: Value, key: Const | None = None) -> None:
        content = self.boxes.setdefault(site, Content())
        if key is None:
            if not value <= content.rest:
                content.rest |= value
                self.version += 1
        elif not value <= content.keyed.get(key, NOTHING):
            content.keyed[key] = content.keyed.get(key, NOTHING) | value
            self.version += 1

    def set_attribute(
        self, base: Value, name: str, value: Value, node: ast.AST | None = None
    ) -> None:
        for atom in base:
            if isinstance(atom, External) and node is not None:
                self.reached.patched.setdefault(f"{atom.path}.{name}", node)
            of = atom.of if isinstance(atom, Instance) else atom
            if isinstance(of, Class):
                known = self.attributes.get((of, name), NOTHING)
                if not value <= known:
                    self.attributes[of, name] = known | value
                    self.version += 1
            elif not value <= self.loose.get(name, NOTHING):
                self.loose[name] = self.loose.get(name, NOTHING) | value
                self.version += 1

    def take(self, value: Value) -> Value:
        """What comes out of a value when it is iterated over, unpacked or awaited."""
        found = NOTHING
        for atom in value:
            if isinstance(atom, Tuple):
                found = join(found, *atom.items)
            elif isinstance(atom, Box):
                found |= self.boxes.setdefault(atom.site, Content()).all() or ANYTHING
            elif isinstance(atom, Lazy):
                found |= self.force(atom)
            elif isinstance(atom, Instance):
                self.call_dunders(atom)
                found |= ANYTHING
            else:
                found |= ANYTHING
        return found

    def force(self, lazy: Lazy) -> Value:
        found = NOTHING
        for thunk in list(self.thunks.get(lazy.site, {}).values()):
            found |= thunk()
        return found or ANYTHING

    def lazy(self, site: ast.AST, key: object, thunk: Thunk) -> Value:
        self.thunks.setdefault(site, {})[key] = thunk
        return frozenset({Lazy(site)})

    # attributes

    def member(self, base: Value, name: str, node: ast.AST) -> Value:
        found = NOTHING
        for atom in base:
            found |= self._member(atom, name, node)
        if not base:
            found = ANYTHING
        self.note_used(found, node)
        return found

    def _member(self, atom: Atom, name: str, node: ast.AST) -> Value:
        if isinstance(atom, External):
            path = allowed.canonical(f"{atom.path}.{name}")
            return external(RESULTS.get(path, path)) if path.count(".") < 9 else ANYTHING
        if isinstance(atom, Instance):
            return self.instance_member(atom, name)
        if isinstance(atom, Class):
            found = self.attributes.get((atom, name), NOTHING) | self.class_member(atom, name, atom)
            if not found and name in TRIGGERS:
                return frozenset({AnyMethod(atom), Unknown()})
            return found or ANYTHING | self.loose.get(name, NOTHING)
        if isinstance(atom, Super):
            found = NOTHING
            for base in self.bases(atom.of):
                found |= self.class_member(base, name, atom.owner)
            return found or ANYTHING
        if isinstance(atom, Box) and name in ADDERS | TAKERS:
            return frozenset({BoxMethod(atom, name)})
        if isinstance(atom, Partial) and name == "func":
            return join(*(f for f, _ in self.partials.get(atom.site, {}).values()))
        if name in allowed.GROUP_ONLY_METHODS and isinstance(atom, Unknown):
            return external(f"torch.distributed.ProcessGroup.{name}") | ANYTHING
        return ANYTHING | self.loose.get(name, NOTHING)

    def instance_member(self, instance: Instance, name: str) -> Value:
        found = NOTHING
        for cls in [instance.of, *self.bases(instance.of)]:
            found |= self.attributes.get((cls, name), NOTHING)
        # A flag in an attribute may have been changed by any method since.
        if any(isinstance(atom, Const) for atom in found):
            found |= ANYTHING
        found |= self.class_member(instance.of, name, instance)
        if not found and name in TRIGGERS:
            return frozenset({AnyMethod(instance.of), Unknown()})
        return found or ANYTHING | self.loose.get(name, NOTHING)

    def bases(self, cls: Class) -> list[Class]:
        """Base classes of the source, nearest first. What comes from outside is left out."""
        found: list[Class] = []
        todo = [cls]
        while todo:
            here = todo.pop(0)
            for base in here.frame.first:
                if isinstance(base, Class) and base not in found:
                    found.append(base)
                    todo.append(base)
        return found

    def class_member(self, cls: Class, name: str, owner: Instance | Class) -> Value:
        for here in [cls, *self.bases(cls)]:
            value = here.frame.names().get(name)
            if value is not None:
                return join(*(self.bound(atom, owner) for atom in value))
        return NOTHING

    def bound(self, atom: Atom, owner: Instance | Class) -> Value:
        """What a class attribute becomes when it is read from an instance or the class."""
        if not isinstance(atom, Function):
            return frozenset({atom})
        of = owner.of if isinstance(owner, Instance) else owner
        if atom.role == "property":
            if isinstance(owner, Instance):
                return self.call(frozenset({Method(atom, owner)}), Arguments(), atom.node)
            return ANYTHING
        if atom.role == "classmethod":
            return frozenset({Method(atom, of)})
        if atom.role == "staticmethod" or isinstance(owner, Class):
            return frozenset({atom})
        return frozenset({Method(atom, owner)})

    # calls

    def call(self, value: Value, given: Arguments, node: ast.AST) -> Value:
        """Call whatever `value` may be; the value of the result."""
        self.step()
        found = NOTHING
        for atom in value or ANYTHING:
            found |= self._call(atom, given, node)
        return found

    def _call(self, atom: Atom, given: Arguments, node: ast.AST) -> Value:
        if isinstance(atom, External):
            return self.call_external(atom.path, given, node)
        if isinstance(atom, Function):
            return self.run(atom, given, node)
        if isinstance(atom, Method):
            owner: Value = frozenset({atom.owner})
            bound = Arguments([owner, *given.positional], given.named, given.more)
            return self.run(atom.function, bound, node)
        if isinstance(atom, Class):
            return self.instantiate(atom, given, node)
        if isinstance(atom, Instance):
            return self.call_instance(atom, given, node)
        if isinstance(atom, AnyMethod):
            self.escape(given, node)
            self.call_all(atom.of)
            return ANYTHING
        if isinstance(atom, Partial):
            found = NOTHING
            for function, first in list(self.partials.get(atom.site, {}).values()):
                whole = Arguments(
                    first.positional + given.positional,
                    first.named | given.named,
                    first.more | given.more,
                )
                found |= self.call(function, whole, node)
            return found
        if isinstance(atom, BoxMethod):
            return self.call_box(atom, given)
        if isinstance(atom, Const):
            return NOTHING
        self.escape(given, node)
        return ANYTHING

    def call_instance(self, instance: Instance, given: Arguments, node: ast.AST) -> Value:
        for name in ("__call__", "forward"):
            method = self.class_member(instance.of, name, instance)
            if method:
                return self.call(method, given, node)
        self.escape(given, node)
        self.call_all(instance.of)
        return ANYTHING

    def call_box(self, method: BoxMethod, given: Arguments) -> Value:
        site = method.box.site
        if method.name in ADDERS:
            spread = method.name in ("extend", "extendleft", "update")
            for value in given.all():
                self.put(site, self.take(value) if spread and value else value)
        content = self.boxes.setdefault(site, Content())
        inside = content.all() | given.more
        if method.name == "get":
            inside = join(inside, *given.positional[1:])
        if method.name in ("items", "copy"):
            return (
                frozenset({method.box}) | ANYTHING if method.name == "copy" else self.pairs(inside)
            )
        if method.name == "values":
            return frozenset({Tuple((inside | ANYTHING,))})
        return inside | ANYTHING

    def pairs(self, inside: Value) -> Value:
        return frozenset({Tuple((frozenset({Tuple((ANYTHING, inside | ANYTHING))}),), 2)})

    def call_external(self, path: str, given: Arguments, node: ast.AST) -> Value:
        self.note_called(path, node)
        if path in ONLY_LOOK:
            return ANYTHING
        if path in ROLES:
            return self.with_role(given, path.rpartition(".")[2])
        if path == "functools.partial":
            return self.make_partial(given, node)
        if path in LAZY_CALLS:
            return self.make_map(given, node)
        if path in TAKE_ALL:
            return self.take_all(path, given, node)
        if path in PASS_ON or path.removesuffix("()") in PASS_ON:
            functions = join(*given.all())
            if path == "functools.wraps" or not any(_is_code(atom) for atom in functions):
                kept = functions if path.startswith("contextlib") else NOTHING
                return external(path + "()") | kept
            return functions
        if path.endswith(".getattr"):
            return ANYTHING
        self.escape(given, node)
        if result := RESULTS.get(f"{path}()"):
            return external(result)
        if path.startswith("torch."):
            return ANYTHING
        return join(ANYTHING, *given.all())

    def with_role(self, given: Arguments, role: str) -> Value:
        return frozenset(
            Function(atom.node, atom.frame, role) if isinstance(atom, Function) else atom
            for value in given.all()
            for atom in value
        )

    def make_partial(self, given: Arguments, node: ast.AST) -> Value:
        function = given.positional[0] if given.positional else ANYTHING
        rest = Arguments(given.positional[1:], given.named, given.more)
        self.partials.setdefault(node, {})[function, rest.key()] = (function, rest)
        return frozenset({Partial(node)})

    def make_map(self, given: Arguments, node: ast.AST) -> Value:
        order = list(given.positional)
        if not order:
            return ANYTHING
        swapped = "accumulate" in ast.dump(node.func) if isinstance(node, ast.Call) else False
        function = order[-1] if swapped else order[0]
        others = order[:-1] if swapped else order[1:]

        def run() -> Value:
            inside = [self.take(value) for value in others]
            return self.call(function, Arguments(inside, more=ANYTHING), node)

        return self.lazy(node, (function, tuple(others)), run)

    def take_all(self, path: str, given: Arguments, node: ast.AST) -> Value:
        inside = [self.take(value) for value in given.positional]
        for value in given.named.values():
            self.call_if_code(value, node)
        if path == "builtins.zip":
            return frozenset({Tuple((frozenset({Tuple(tuple(inside))}),), 2)})
        if path == "builtins.enumerate":
            return frozenset({Tuple((frozenset({Tuple((ANYTHING, join(*inside)))}),), 2)})
        if path == "builtins.next":
            return join(ANYTHING, *inside)
        for value in [*inside, *given.named.values()]:
            self.put(node, value)
        return frozenset({Box(node)})

    def call_if_code(self, value: Value, node: ast.AST) -> None:
        code = frozenset(atom for atom in value if _is_code(atom))
        if code:
            self.call(code, UNKNOWN_ARGUMENTS, node)

    def escape(self, given: Arguments, node: ast.AST) -> None:
        """Arguments go to code that can't be seen: it may call them and look inside."""
        method = getattr(getattr(node, "func", None), "attr", "")
        outer, self.callback = self.callback, method if method in THREADED else self.callback
        seen: set[Atom] = set()
        todo = [atom for value in given.all() for atom in value]
        while todo:
            atom = todo.pop()
            if atom in seen:
                continue
            seen.add(atom)
            if isinstance(atom, Tuple):
                todo += [inner for item in atom.items for inner in item]
            elif isinstance(atom, Box):
                todo += self.boxes.setdefault(atom.site, Content()).all()
            elif isinstance(atom, Lazy):
                self.force(atom)
            elif isinstance(atom, Instance):
                self.call_all(atom.of)
            elif _is_code(atom) and not _is_plain_class(atom):
                self.call(frozenset({atom}), UNKNOWN_ARGUMENTS, node)
        self.callback = outer

    # functions and classes of the source

    def run(self, function: Function, given: Arguments, node: ast.AST) -> Value:
        """Call a function of the source."""
        if self.depth >= MAX_CALL_DEPTH:
            first = given.positional[0] if given.positional else ANYTHING
            self.pending[function, first] = None
            return ANYTHING
        if self.active.get(function.node):
            given = self.widened(function, given, node)
        first = given.positional[0] if given.positional else NOTHING
        contexts = self.contexts.setdefault((function, first), set())
        if given.key() not in contexts and len(contexts) >= MAX_CONTEXTS:
            given = Arguments([first], more=join(ANYTHING, *given.all()))
        contexts.add(given.key())
        key = (function, given.key())
        if is_lazy(function.node):
            return self.lazy(function.node, key, lambda: self.activate(function, given, key))
        return self.activate(function, given, key)

    def widened(self, function: Function, given: Arguments, node: ast.AST) -> Arguments:
        """The arguments of a call of a function that is running already: every later one's too.

        Numbers and tuples, which may differ each time round, are given up. Functions that only
        this round has made are called here, since nothing says who calls them further in.
        """
        outer: list[Frame] = []
        here: Frame | None = function.frame
        while here is not None:
            outer.append(here)
            here = here.parent
        lost: set[Atom] = set()

        def keep(value: Value, deep: int = 0) -> Value:
            kept: set[Atom] = set(ANYTHING)
            for atom in value:
                if isinstance(atom, Tuple) and deep < 4:
                    for item in atom.items:
                        kept |= keep(item, deep + 1)
                elif _lasts(atom, outer):
                    kept.add(atom)
                elif not isinstance(atom, (Const, Unknown)):
                    lost.add(atom)
            return frozenset(kept)

        wide = Arguments(
            [keep(value) for value in given.positional],
            {name: keep(value) for name, value in given.named.items()},
            keep(given.more) if given.more else NOTHING,
        )
        if lost:
            self.escape(Arguments([frozenset(lost)]), node)
        return wide

    def _stamp(self) -> int:
        return self.version * 4 + 2 * self.entered + bool(self.callback)

    def activate(self, function: Function, given: Arguments, key: tuple[object, ...]) -> Value:
        if key in self.running:
            return ANYTHING
        stamp = self._stamp()
        version, result = self.results.get(key, (-1, NOTHING))
        if version == stamp:
            return result
        frame = self.frames.get(key)
        if frame is None:
            frame = Frame(self.scopes.inner[function.node], function.frame)
            self.frames[key] = frame
        frame.env, frame.result, frame.yields = {}, NOTHING, NOTHING
        frame.of_class = function.frame.of_class
        frame.first = given.positional[0] if given.positional else ANYTHING
        self.bind_parameters(function, given, frame)
        self.running.add(key)
        self.active[function.node] = self.active.get(function.node, 0) + 1
        self.depth += 1
        try:
            self.execute(function, frame)
        finally:
            self.depth -= 1
            self.active[function.node] -= 1
            self.running.discard(key)
        result = frame.yields or ANYTHING if is_lazy(function.node) else frame.result
        self.results[key] = (stamp, result)
        return result

    def bind_parameters(self, function: Function, given: Arguments, frame: Frame) -> None:
        args = function.node.args
        env = frame.names()
        positional = [parameter.arg for parameter in [*args.posonlyargs, *args.args]]
        for i, (parameter, default) in enumerate(defaults(args)):
            name = parameter.arg
            if i < len(positional) and i < len(given.positional):
                env[name] = given.positional[i]
            elif name in given.named:
                env[name] = given.named[name]
            else:
                known = self.default_of(function, parameter, default)
                env[name] = (known | given.more) or ANYTHING
        if args.vararg:
            rest = join(given.more, *given.positional[len(positional) :])
            self.put(args.vararg, rest)
            env[args.vararg.arg] = frozenset({Box(args.vararg)})
        if args.kwarg:
            unbound = [v for k, v in given.named.items() if k not in env]
            self.put(args.kwarg, join(given.more, *unbound))
            env[args.kwarg.arg] = frozenset({Box(args.kwarg)})

    def default_of(self, function: Function, parameter: ast.arg, default: ast.expr | None) -> Value:
        if default is None:
            return NOTHING
        return self.boxes.setdefault(parameter, Content()).rest

    def instantiate(self, cls: Class, given: Arguments, node: ast.AST) -> Value:
        instance = Instance(cls)
        found = False
        for name in ("__new__", "__init__"):
            owner: Instance | Class = cls if name == "__new__" else instance
            method = self.class_member(cls, name, owner)
            if method:
                found = True
                start: list[Value] = [frozenset({cls})] if name == "__new__" else []
                more = Arguments(start + given.positional, given.named, given.more)
                self.call(method, more, node)
        if not found:
            self.set_fields(cls, given)
            if method := self.class_member(cls, "__post_init__", instance):
                self.call(method, Arguments(), node)
        return frozenset({instance})

    def set_fields(self, cls: Class, given: Arguments) -> None:
        """A dataclass or named tuple: any field may be any argument, by name where it has one."""
        fields = [
            statement.target.id
            for here in [cls, *self.bases(cls)]
            for statement in here.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        ]
        owner: Value = frozenset({Instance(cls)})
        for name in fields:
            self.set_attribute(owner, name, join(given.more, *given.positional))
        for name, value in given.named.items():
            self.set_attribute(owner, name, value)

    def methods(self, cls: Class) -> list[tuple[str, Value]]:
        found: dict[str, Value] = {}
        for here in [cls, *self.bases(cls)]:
            for name, value in here.frame.names().items():
                if name not in found and any(isinstance(atom, Function) for atom in value):
                    found[name] = value
        return list(found.items())

    def call_all(self, cls: Class) -> None:
        """Torch or the interpreter may call any method of this class."""
        self._call_methods(cls, dunders_only=False)

    def call_dunders(self, instance: Instance) -> None:
        """An operator, `with` or a loop on an instance calls its special methods."""
        self._call_methods(instance.of, dunders_only=True)

    def _call_methods(self, cls: Class, dunders_only: bool) -> None:
        instance = Instance(cls)
        for name, value in self.methods(cls):
            if dunders_only and not name.startswith("__"):
                continue
            for atom in value:
                if isinstance(atom, Function):
                    for bound in self.bound(atom, instance):
                        self.take_lazy(self.call(frozenset({bound}), UNKNOWN_ARGUMENTS, atom.node))

    def take_lazy(self, value: Value) -> None:
        """Run a value that is a generator or coroutine; leave others alone."""
        for atom in value:
            if isinstance(atom, Lazy):
                self.force(atom)

    def drain(self) -> None:
        """Run what was too deep to be run where it was called."""
        for _ in range(200):
            if not self.pending:
                return
            (function, first), _ = self.pending.popitem()
            self.run(function, Arguments([first], more=ANYTHING), function.node)


def _is_code(atom: Atom) -> bool:
    return isinstance(atom, (External, Function, Method, Class, Partial, AnyMethod))


def _lasts(atom: Atom, frames: list[Frame]) -> bool:
    """Whether an atom stays the same however often a function within `frames` calls itself."""
    if isinstance(atom, (External, Box, BoxMethod, Partial, Lazy)):
        return True
    if isinstance(atom, Function):
        return atom.frame in frames
    if isinstance(atom, Method):
        owner = atom.owner if isinstance(atom.owner, Class) else atom.owner.of
        return atom.function.frame.parent in frames and owner.frame.parent in frames
    if isinstance(atom, (Class, Instance, AnyMethod)):
        cls = atom if isinstance(atom, Class) else atom.of
        return cls.frame.parent in frames
    return False


def _is_plain_class(atom: Atom) -> bool:
    return isinstance(atom, External) and allowed.is_module(atom.path)


def is_lazy(node: ast.AST) -> bool:
    """Whether calling the function runs nothing yet: it has `yield`, or is `async`."""
    if isinstance(node, ast.AsyncFunctionDef):
        return True
    return isinstance(node, ast.FunctionDef) and has_yield(node)


def has_yield(function: ast.FunctionDef) -> bool:
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))
    return False

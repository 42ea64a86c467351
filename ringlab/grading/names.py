"""Scopes of a source, and what a name in it may stand for, without running anything.

`Scopes` follows Python's own rules: functions, classes, comprehensions, `global`, `nonlocal`,
walrus, `except ... as`, match captures, type parameters. `Scopes.meaning` says what an expression
may be: a dotted path (`torch.distributed.send`, `builtins.print`) or a function or class of the
source itself. It joins all bindings of a name, whatever their order, so it errs on the side of
"may be"; reach.py follows the order of execution.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ringlab.grading.allowed import BUILTINS, PREDEFINED, canonical

Function = ast.FunctionDef | ast.AsyncFunctionDef
Position = tuple[int, int]

UNKNOWN = "?"
MAX_CONSTANT = 2000
MAX_DEPTH = 8
MAX_ROUNDS = 100
MAX_STEPS = 1_000_000
MAX_SECONDS = 5.0
MAX_MEANINGS = 200

# What a call or an attribute gives, where a later step needs to know.
RESULTS = {
    "torch.distributed.new_group()": "torch.distributed.ProcessGroup",
    "torch.distributed.group.WORLD": "torch.distributed.ProcessGroup",
    "torch.distributed.GroupMember.WORLD": "torch.distributed.ProcessGroup",
    "collections.namedtuple()": "collections.namedtuple()",
    "typing.NamedTuple()": "typing.NamedTuple()",
    "typing.TypedDict()": "typing.TypedDict()",
    "typing.NewType()": "typing.NewType()",
    "enum.Enum()": "enum.Enum()",
}

MEANINGFUL = (
    ast.Name, ast.Attribute, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Lambda, ast.Call
)  # fmt: skip


class TooTangled(Exception):
    """The source can't be followed within a sensible time."""


class Budget:
    """Steps that the reading of one source may take, of one reader or all, and seconds for all.

    The steps give the same verdict on every machine. The clock only ends what they did not
    foresee. Raises TooTangled.
    """

    def __init__(self, steps: int = MAX_STEPS, deadline: float | None = None) -> None:
        self.left = steps
        self.deadline = time.monotonic() + MAX_SECONDS if deadline is None else deadline
        self.until_look = 0

    def step(self, count: int = 1) -> None:
        self.left -= count
        self.until_look -= count
        if self.left < 0:
            raise TooTangled
        if self.until_look <= 0:
            self.until_look = 500
            if time.monotonic() > self.deadline:
                raise TooTangled


@dataclass(eq=False, slots=True)
class Binding:
    """One way in which a name gets a value."""

    kind: str  # import, assign, element, parameter, def, class, other
    node: ast.AST
    value: ast.expr | None = None
    path: str = ""
    sure: bool = False
    given: list[ast.expr] = field(default_factory=list)

    @property
    def end(self) -> Position:
        return (
            getattr(self.node, "end_lineno", None) or 0,
            getattr(self.node, "end_col_offset", None) or 0,
        )


@dataclass(eq=False, slots=True)
class Scope:
    node: ast.AST
    kind: str  # module, function, class, comprehension
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def home(self, name: str) -> Scope | None:
        """The scope that a load of `name` here reads from; None: builtins, or nothing."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.global_names:
                return scope.module if name in scope.module.bindings else None
            visible = scope is self or scope.kind != "class"
            if visible and name in scope.bindings and name not in scope.nonlocal_names:
                return scope
            scope = scope.parent
        return None

    def target(self, name: str) -> Scope:
        """The scope that a store of `name` here writes to."""
        if name in self.global_names:
            return self.module
        if name in self.nonlocal_names and self.parent is not None:
            return self.parent.home(name) or self.parent
        return self


Meaning = str | ast.AST


class Scopes(ast.NodeVisitor):
    """All scopes of a module. `scope_of` gives the scope in which a name or call is evaluated."""

    def __init__(self, tree: ast.Module, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.root = Scope(tree, "module", None)
        self.current = self.root
        self.scope_of: dict[ast.AST, Scope] = {}
        self.inner: dict[ast.AST, Scope] = {tree: self.root}
        self.conditional = 0
        self.postponed_annotations = _has_future_annotations(tree)
        self.annotations: set[ast.AST] = set()
        self.calls: list[ast.Call] = []
        for statement in tree.body:
            self.visit(statement)
        self._meanings: dict[ast.AST, set[Meaning]] = {}
        self._strings: dict[ast.AST, set[str] | None] = {}
        self._solve(tree)

    # building

    def bind(self, name: str, binding: Binding, scope: Scope | None = None) -> None:
        home = (scope or self.current).target(name)
        binding.sure = home is self.current and self.conditional == 0
        home.bindings.setdefault(name, []).append(binding)

    def _enter(self, node: ast.AST, kind: str) -> Scope:
        scope = Scope(node, kind, self.current)
        self.inner[node] = scope
        return scope

    def _body(self, scope: Scope, body: list[ast.stmt] | list[ast.expr]) -> None:
        outer, depth = self.current, self.conditional
        self.current, self.conditional = scope, 0
        for statement in body:
            _declare(scope, statement)
        for statement in body:
            self.visit(statement)
        self.current, self.conditional = outer, depth

    def visit(self, node: ast.AST) -> None:
        self.scope_of[node] = self.current
        super().visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            path = alias.name if alias.asname else alias.name.partition(".")[0]
            self.bind(alias.asname or path, Binding("import", node, path=path))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            path = f"{node.module or ''}.{alias.name}"
            kind = "other" if node.level or alias.name == "*" else "import"
            self.bind(alias.asname or alias.name, Binding(kind, node, path=path))

    def _visit_function(self, node: Function) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.bind(node.name, Binding("def", node))
        with self._type_parameters(node):
            scope = self._enter(node, "function")
            self._visit_arguments(node.args, scope)
            if node.returns is not None:
                self._visit_annotation(node.returns)
            self._body(scope, node.body)

    visit_FunctionDef = _visit_function
    visit_AsyncFunctionDef = _visit_function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        scope = self._enter(node, "function")
        self._visit_arguments(node.args, scope)
        self._body(scope, [node.body])

    def _visit_arguments(self, args: ast.arguments, scope: Scope) -> None:
        for parameter, default in defaults(args):
            if default is not None:
                self.visit(default)
            if parameter.annotation is not None:
                self._visit_annotation(parameter.annotation)
            binding = Binding("parameter", parameter, value=default)
            scope.bindings.setdefault(parameter.arg, []).append(binding)
        for rest in (args.vararg, args.kwarg):
            if rest is not None:
                if rest.annotation is not None:
                    self._visit_annotation(rest.annotation)
                scope.bindings.setdefault(rest.arg, []).append(Binding("other", rest))

    @contextmanager
    def _type_parameters(self, node: ast.AST) -> Iterator[None]:
        """`def f[T](...)` has a scope of its own around annotations, bases and body."""
        outer = self.current
        if parameters := getattr(node, "type_params", []):
            self.current = Scope(node, "function", outer)
            for parameter in parameters:
                self.bind(parameter.name, Binding("other", parameter))
        yield
        self.current = outer

    def _visit_annotation(self, node: ast.expr) -> None:
        self.annotations.update(ast.walk(node))
        self.visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.bind(node.name, Binding("class", node))
        with self._type_parameters(node):
            for expression in [*node.bases, *(keyword.value for keyword in node.keywords)]:
                self.visit(expression)
            self._body(self._enter(node, "class"), node.body)

    def _visit_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        self.visit(node.generators[0].iter)
        scope = self._enter(node, "comprehension")
        outer, depth = self.current, self.conditional
        self.current, self.conditional = scope, 1
        for i, generator in enumerate(node.generators):
            if i:
                self.visit(generator.iter)
            self._bind_target(generator.target, "element", generator.iter)
            for condition in generator.ifs:
                self.visit(condition)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in parts:
            self.visit(part)
        self.current, self.conditional = outer, depth

    visit_ListComp = _visit_comprehension
    visit_SetComp = _visit_comprehension
    visit_GeneratorExp = _visit_comprehension
    visit_DictComp = _visit_comprehension

    def _bind_target(self, target: ast.expr, kind: str, value: ast.expr | None) -> None:
        """Bind the names in a target; other targets (attributes, items) are visited."""
        self.scope_of[target] = self.current
        if isinstance(target, ast.Name):
            self.bind(target.id, Binding(kind, target, value=value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            pieces = _pieces(value) if kind == "assign" else None
            plain = not any(isinstance(e, ast.Starred) for e in target.elts)
            if pieces is not None and plain and len(pieces) == len(target.elts):
                for element, piece in zip(target.elts, pieces, strict=True):
                    self._bind_target(element, "assign", piece)
            else:
                for element in target.elts:
                    self._bind_target(element, "other", None)
        elif isinstance(target, ast.Starred):
            self._bind_target(target.value, "other", None)
        else:
            self.visit(target)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._bind_target(target, "assign", node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._bind_target(node.target, "assign", node.value)
        elif isinstance(node.target, ast.Name):
            # A declaration alone makes the name local in a function, and gives it no value.
            if self.current.kind != "module":
                self.bind(node.target.id, Binding("other", node.target))
        else:
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self._bind_target(node.target, "other", None)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        scope = self.current
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self.scope_of[node.target] = self.current
        self.conditional += 1
        self.bind(node.target.id, Binding("assign", node.target, value=node.value), scope)
        self.conditional -= 1

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Del):
            self.current.target(node.id).deleted.add(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.bind(node.id, Binding("other", node))

    def visit_Call(self, node: ast.Call) -> None:
        self.calls.append(node)
        self.generic_visit(node)

    def _visit_block(self, statements: list[ast.stmt]) -> None:
        self.conditional += 1
        for statement in statements:
            self.visit(statement)
        self.conditional -= 1

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._visit_block(node.body + node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._visit_block(node.body + node.orelse)

    def _visit_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self.conditional += 1
        self._bind_target(node.target, "element", node.iter)
        self.conditional -= 1
        self._visit_block(node.body + node.orelse)

    visit_For = _visit_for
    visit_AsyncFor = _visit_for

    def _visit_try(self, node: ast.Try) -> None:
        self._visit_block(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                self.visit(handler.type)
            self.conditional += 1
            if handler.name:
                self.bind(handler.name, Binding("other", handler))
            self.conditional -= 1
            self._visit_block(handler.body)
        self._visit_block(node.orelse)
        for statement in node.finalbody:
            self.visit(statement)

    visit_Try = _visit_try
    visit_TryStar = _visit_try  # type: ignore[assignment]

    def _visit_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._bind_target(item.optional_vars, "other", None)
        for statement in node.body:
            self.visit(statement)

    visit_With = _visit_with
    visit_AsyncWith = _visit_with

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        self.conditional += 1
        for case in node.cases:
            self.visit(case.pattern)
            if case.guard is not None:
                self.visit(case.guard)
            for statement in case.body:
                self.visit(statement)
        self.conditional -= 1

    def _visit_capture(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self.bind(name, Binding("other", node))
        self.generic_visit(node)

    visit_MatchAs = _visit_capture
    visit_MatchStar = _visit_capture
    visit_MatchMapping = _visit_capture

    def visit_TypeAlias(self, node: ast.AST) -> None:
        name = node.name  # type: ignore[attr-defined]
        self.bind(name.id, Binding("other", node))
        with self._type_parameters(node):
            self._body(self._enter(node, "function"), [node.value])  # type: ignore[attr-defined]

    # reading

    def _solve(self, tree: ast.Module) -> None:
        """Find all meanings at once: a fixed point, since names may go round in circles."""
        nodes = [node for node in ast.walk(tree) if isinstance(node, MEANINGFUL)]
        nodes.reverse()
        given: set[tuple[ast.AST, ast.expr]] = set()
        for _ in range(MAX_ROUNDS):
            changed = False
            for node in nodes:
                found = self._meaning(node)
                self.budget.step(1 + len(found))
                if len(found) > MAX_MEANINGS:
                    raise TooTangled
                if found != self._meanings.get(node):
                    self._meanings[node] = found
                    changed = True
            for call in self.calls:
                changed |= self._give_arguments(call, given)
            if not changed:
                return
        raise TooTangled

    def _give_arguments(self, call: ast.Call, given: set[tuple[ast.AST, ast.expr]]) -> bool:
        """Tell the parameters of plain functions of the source what they are called with."""
        changed = False
        for target in self.meaning(call.func):
            if isinstance(target, (ast.FunctionDef, ast.Lambda)):
                for parameter, value in arguments_given(target, call):
                    self.budget.step()
                    # Any parameter may be unknown; what isn't a name or call says no more.
                    if not isinstance(value, MEANINGFUL):
                        continue
                    binding = self.inner[target].bindings[parameter][0]
                    if (binding.node, value) not in given:
                        given.add((binding.node, value))
                        binding.given.append(value)
                        changed = True
        return changed

    def home(self, name: ast.Name) -> Scope | None:
        return self.scope_of.get(name, self.root).home(name.id)

    def is_defined(self, name: ast.Name) -> bool:
        return self.home(name) is not None or name.id in PREDEFINED or name.id in BUILTINS

    def bindings(self, name: ast.Name) -> list[Binding]:
        home = self.home(name)
        return home.bindings.get(name.id, []) if home is not None else []

    def _falls_through(self, name: ast.Name, home: Scope) -> bool:
        """Whether a load may still see what the name means outside the source."""
        if home.kind == "class":
            return True
        if home.kind != "module":
            return False
        if name.id in home.deleted:
            return True
        sure = [binding.end for binding in home.bindings[name.id] if binding.sure]
        return not sure or (name.lineno, name.col_offset) < min(sure)

    def meaning(self, node: ast.expr) -> set[Meaning]:
        """Everything that an expression may stand for; UNKNOWN among it when that is not all."""
        if isinstance(node, MEANINGFUL):
            return self._meanings.get(node, set())
        return {UNKNOWN}

    def _meaning(self, node: ast.expr) -> set[Meaning]:
        if isinstance(node, ast.Name):
            return self._name_meaning(node)
        if isinstance(node, ast.Attribute):
            return {self._member(base, node.attr) for base in self.meaning(node.value)}
        if isinstance(node, ast.IfExp):
            return self.meaning(node.body) | self.meaning(node.orelse)
        if isinstance(node, ast.BoolOp):
            return set[Meaning]().union(*(self.meaning(value) for value in node.values))
        if isinstance(node, ast.NamedExpr):
            return self.meaning(node.value)
        if isinstance(node, ast.Lambda):
            return {node}
        if isinstance(node, ast.Call):
            return self._call_meaning(node)
        return {UNKNOWN}

    def _name_meaning(self, node: ast.Name) -> set[Meaning]:
        home = self.home(node)
        found: set[Meaning] = set()
        if home is not None:
            self.budget.step(len(home.bindings.get(node.id, [])))
            for binding in home.bindings.get(node.id, []):
                found |= self._binding_meaning(binding)
            if not self._falls_through(node, home):
                return found
        if home is not None and home.kind == "class" and home.parent is not None:
            outer = home.parent.home(node.id)
            if outer is not None:
                for binding in outer.bindings.get(node.id, []):
                    found |= self._binding_meaning(binding)
        if node.id in PREDEFINED:
            found.add(PREDEFINED[node.id])
        elif node.id in BUILTINS:
            found.add(f"builtins.{node.id}")
        return found or {UNKNOWN}

    def _binding_meaning(self, binding: Binding) -> set[Meaning]:
        if binding.kind == "import":
            return {canonical(binding.path)}
        if binding.kind in ("def", "class"):
            return {binding.node}
        if binding.kind == "assign" and binding.value is not None:
            return self.meaning(binding.value)
        if binding.kind == "element":
            pieces = _pieces(binding.value)
            if pieces is not None:
                self.budget.step(len(pieces))
                return set[Meaning]().union(*(self.meaning(piece) for piece in pieces))
        if binding.kind == "parameter":
            found: set[Meaning] = {UNKNOWN}
            self.budget.step(len(binding.given))
            for value in [binding.value, *binding.given]:
                if value is not None:
                    found |= self.meaning(value)
            return found
        return {UNKNOWN}

    def _member(self, base: Meaning, name: str) -> Meaning:
        if isinstance(base, str) and base != UNKNOWN and base.count(".") < MAX_DEPTH:
            return RESULTS.get(path := canonical(f"{base}.{name}"), path)
        return UNKNOWN

    def _call_meaning(self, node: ast.Call) -> set[Meaning]:
        found: set[Meaning] = set()
        for target in self.meaning(node.func):
            if target == "builtins.getattr" and len(node.args) >= 2:
                for name in self.strings(node.args[1]) or []:
                    found |= {self._member(base, name) for base in self.meaning(node.args[0])}
                for fallback in node.args[2:]:
                    found |= self.meaning(fallback)
            elif isinstance(target, str):
                found.add(RESULTS.get(f"{target}()", UNKNOWN))
            else:
                found.add(UNKNOWN)
        return found or {UNKNOWN}

    def ancestors(self, node: ast.ClassDef) -> set[str]:
        """Full names of all base classes from outside the source, direct or not."""
        found: set[str] = set()
        todo, seen = [node], {node}
        while todo:
            for base in todo.pop().bases:
                named = base.value if isinstance(base, ast.Subscript) else base
                for meaning in self.meaning(named):
                    if isinstance(meaning, str):
                        found.add(meaning)
                    elif isinstance(meaning, ast.ClassDef) and meaning not in seen:
                        seen.add(meaning)
                        todo.append(meaning)
        return found

    def strings(self, node: ast.expr) -> set[str] | None:
        """Every string that the expression may be, None if that can't be told."""
        if node not in self._strings:
            self._strings[node] = None
            self._strings[node] = self._find_strings(node)
        return self._strings[node]

    def _find_strings(self, node: ast.expr) -> set[str] | None:
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return _products(self.strings(node.left), self.strings(node.right))
        if isinstance(node, ast.JoinedStr):
            whole: set[str] | None = {""}
            for part in node.values:
                inner = part
                if isinstance(part, ast.FormattedValue):
                    if part.format_spec is not None or part.conversion != -1:
                        return None
                    inner = part.value
                whole = _products(whole, self.strings(inner))
            return whole
        if isinstance(node, ast.IfExp):
            return _unions([self.strings(node.body), self.strings(node.orelse)])
        if isinstance(node, ast.NamedExpr):
            return self.strings(node.value)
        if isinstance(node, ast.Name):
            return self._name_strings(node)
        return None

    def _name_strings(self, node: ast.Name) -> set[str] | None:
        home = self.home(node)
        if home is None or home.kind == "class":
            return None
        self.budget.step(len(home.bindings.get(node.id, [])))
        found: list[set[str] | None] = []
        for binding in home.bindings.get(node.id, []):
            if binding.kind == "assign" and binding.value is not None:
                found.append(self.strings(binding.value))
            elif binding.kind == "element" and (pieces := _pieces(binding.value)) is not None:
                found += [self.strings(piece) for piece in pieces]
            else:
                return None
        return _unions(found)


def defaults(args: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Each named parameter with its default value, None where it has none."""
    positional = [*args.posonlyargs, *args.args]
    missing = len(positional) - len(args.defaults)
    for i, parameter in enumerate(positional):
        yield parameter, args.defaults[i - missing] if i >= missing else None
    yield from zip(args.kwonlyargs, args.kw_defaults, strict=True)


def arguments_given(
    target: ast.FunctionDef | ast.Lambda, call: ast.Call
) -> list[tuple[str, ast.expr]]:
    """Which parameter gets which argument, where that is plain to see."""
    if getattr(target, "decorator_list", []):
        return []
    names = [parameter.arg for parameter in [*target.args.posonlyargs, *target.args.args]]
    named = {*names, *(parameter.arg for parameter in target.args.kwonlyargs)}
    pairs: list[tuple[str, ast.expr]] = []
    for name, value in zip(names, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        pairs.append((name, value))
    pairs += [(k.arg, k.value) for k in call.keywords if k.arg is not None and k.arg in named]
    return pairs


def _declare(scope: Scope, statement: ast.AST) -> None:
    """Read `global` and `nonlocal` before the bindings: they hold for the whole body."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global):
            scope.global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocal_names.update(node.names)
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case) and not isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            todo.extend(ast.iter_child_nodes(node))


def _pieces(node: ast.expr | None) -> list[ast.expr] | None:
    if not isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return None
    return None if any(isinstance(element, ast.Starred) for element in node.elts) else node.elts


def _has_future_annotations(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )


def _products(left: set[str] | None, right: set[str] | None) -> set[str] | None:
    if left is None or right is None or len(left) * len(right) > 100:
        return None
    both = {a + b for a in left for b in right}
    return None if any(len(text) > MAX_CONSTANT for text in both) else both


def _unions(found: list[set[str] | None]) -> set[str] | None:
    whole: set[str] = set()
    for strings in found:
        if strings is None:
            return None
        whole |= strings
    return whole or None

"""Which functions of torch a source really calls: an abstract run from the entry function on.

The source is run with unknown inputs, following every way that isn't shut by a constant. Names are
followed through assignments, tuples, containers, attributes, closures, `functools.partial`,
constant `getattr`, helpers, methods and classes of the same source. What is never reached (after
`return`, under `if False`, in functions that nobody calls) leaves no trace. Where a condition or
value can't be told, every way counts: `called` means "may be called, as far as the source can say".
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable

from ringlab.grading import allowed
from ringlab.grading.calls import Calls, Reached
from ringlab.grading.names import Scopes
from ringlab.grading.values import (
    ANYTHING,
    NOTHING,
    UNKNOWN_ARGUMENTS,
    Arguments,
    Box,
    Class,
    Const,
    Content,
    Env,
    External,
    Frame,
    Function,
    Instance,
    Loop,
    Super,
    Tuple,
    Value,
    constant,
    external,
    join,
    join_envs,
    only_constant,
    truth,
    tuple_of,
)

MAX_LOOP_ROUNDS = 6
MAX_ENTRY_ROUNDS = 6
MAX_NUMBER = 10**9
MAX_TEXT = 2000

COMPARE: dict[type, Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
ARITHMETIC: dict[type, Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def reach(tree: ast.Module, scopes: Scopes, entry: str) -> Reached:
    """Run `tree` abstractly from the function or class `entry` on.

    Raises TooTangled when that would take too long.
    """
    run = Machine(tree, scopes)
    run.module()
    run.enter(entry)
    return run.reached


class Machine(Calls):
    """Statements and expressions."""

    def module(self) -> None:
        env = {name: external(path) for name, path in allowed.PREDEFINED.items()}
        self.root.env = env | {"__name__": constant("answer"), "__debug__": constant(True)}
        self.block(self.tree.body, self.root)
        self.leave(self.root)
        self.drain()

    def enter(self, entry: str) -> None:
        """Call the entry as the judge does. Hooks and methods may come in any order after it."""
        self.entered = True
        for _ in range(MAX_ENTRY_ROUNDS):
            version = self.version
            for atom in self.root.final.get(entry, NOTHING):
                self.take_lazy(self.call(frozenset({atom}), UNKNOWN_ARGUMENTS, self.tree))
                if isinstance(atom, Class):
                    self.call_all(atom)
            self.drain()
            if self.version == version:
                return

    def execute(self, function: Function, frame: Frame) -> None:
        if isinstance(function.node, ast.Lambda):
            frame.result = self.eval(function.node.body, frame)
        else:
            self.block(function.node.body, frame)
            if frame.env is not None:
                frame.result |= constant(None)
        self.leave(frame)

    def leave(self, frame: Frame) -> None:
        """Nothing more runs here now; closures keep what they saw."""
        if frame.env is not None:
            frame.final = join_envs(frame.final, frame.env) or {}
        frame.env = None

    # names

    def frame_of(self, frame: Frame, scope: object) -> Frame:
        here: Frame | None = frame
        while here is not None:
            if here.scope is scope:
                return here
            here = here.parent
        return self.root

    def load(self, node: ast.Name, frame: Frame) -> Value:
        self.reached.ran.add(node)
        scope = self.scopes.scope_of.get(node, frame.scope)
        home = scope.home(node.id)
        value = self.frame_of(frame, home or self.root.scope).names().get(node.id)
        if value is None and home is not None and home.kind == "class" and home.parent:
            outer = home.parent.home(node.id) or self.root.scope
            value = self.frame_of(frame, outer).names().get(node.id)
        if value is None:
            # A name without a value here: not bound on the way, or nowhere.
            known = node.id in allowed.BUILTINS
            value = external(f"builtins.{node.id}") if known else ANYTHING
        if node.id in self.shared:
            value |= ANYTHING
        self.note_used(value, node)
        return value

    def store(self, node: ast.Name, value: Value, frame: Frame) -> None:
        scope = self.scopes.scope_of.get(node, frame.scope)
        target = self.frame_of(frame, scope.target(node.id))
        if scope.kind == "comprehension" and frame.scope is scope:
            target = frame if node.id in scope.bindings else target
        if target is frame and frame.env is not None:
            frame.env[node.id] = value
        else:
            names = target.names()
            if not value <= names.get(node.id, NOTHING):
                names[node.id] = names.get(node.id, NOTHING) | value
                self.version += 1

    def bind(self, target: ast.expr, value: Value, frame: Frame) -> None:
        if isinstance(target, ast.Name):
            self.store(target, value, frame)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = self.unpack(value, target.elts)
            for element, part in zip(target.elts, parts, strict=True):
                self.bind(element, part, frame)
        elif isinstance(target, ast.Starred):
            self.put(target, value)
            self.bind(target.value, frozenset({Box(target)}), frame)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.eval(target.value, frame), target.attr, value, target)
        elif isinstance(target, ast.Subscript):
            base = self.eval(target.value, frame)
            key = only_constant(self.eval(target.slice, frame))
            for atom in base:
                if isinstance(atom, Box):
                    self.put(atom.site, value, key)
                elif isinstance(atom, Instance):
                    self.call_dunders(atom)

    def unpack(self, value: Value, targets: list[ast.expr]) -> list[Value]:
        plain = not any(isinstance(target, ast.Starred) for target in targets)
        tuples = [atom for atom in value if isinstance(atom, Tuple)]
        fits = all(len(atom.items) == len(targets) for atom in tuples)
        if plain and tuples and fits and len(tuples) == len(value):
            return [join(*column) for column in zip(*(t.items for t in tuples), strict=True)]
        inside = self.take(value)
        return [inside] * len(targets)

    # statements

    def block(self, statements: list[ast.stmt], frame: Frame) -> None:
        for statement in statements:
            if frame.env is None:
                return
            self.step()
            do = getattr(self, f"do_{type(statement).__name__}", None)
            if do is not None:
                do(statement, frame)
            if frame.handlers and frame.env is not None:
                frame.handlers[-1].append(dict(frame.env))

    def branch(self, env: Env | None, statements: list[ast.stmt], frame: Frame) -> Env | None:
        """Run a block from `env`; where it ends, None if it doesn't come to its end."""
        frame.env = None if env is None else dict(env)
        self.block(statements, frame)
        return frame.env

    def do_Expr(self, node: ast.Expr, frame: Frame) -> None:
        self.eval(node.value, frame)

    def do_Assign(self, node: ast.Assign, frame: Frame) -> None:
        value = self.eval_alias(node.value, frame)
        for target in node.targets:
            self.bind(target, value, frame)

    def eval_alias(self, node: ast.expr, frame: Frame) -> Value:
        """At the top level a second name for a function is no use of it yet."""
        if frame is self.root and isinstance(node, (ast.Name, ast.Attribute)):
            self.quiet = True
            try:
                return self.eval(node, frame)
            finally:
                self.quiet = False
        return self.eval(node, frame)

    def do_AnnAssign(self, node: ast.AnnAssign, frame: Frame) -> None:
        if frame.scope.kind != "function":
            self.see_annotation(node.annotation)
        if node.value is not None:
            self.bind(node.target, self.eval_alias(node.value, frame), frame)

    def do_AugAssign(self, node: ast.AugAssign, frame: Frame) -> None:
        value = self.eval(node.value, frame)
        target = node.target
        if isinstance(target, ast.Name):
            read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            self.scopes.scope_of[read] = self.scopes.scope_of.get(target, frame.scope)
            old = self.load(read, frame)
        else:
            old = self.eval(target, frame)
        boxes = frozenset(atom for atom in old if isinstance(atom, Box))
        for atom in boxes:
            if isinstance(atom, Box):
                self.put(atom.site, self.take(value))
        self.use_operator(old | value)
        if isinstance(target, ast.Name):
            self.bind(target, boxes | ANYTHING, frame)

    def do_Delete(self, node: ast.Delete, frame: Frame) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.eval(target, frame)

    def do_Return(self, node: ast.Return, frame: Frame) -> None:
        frame.result |= self.eval(node.value, frame) if node.value else constant(None)
        self.leave(frame)

    def do_Raise(self, node: ast.Raise, frame: Frame) -> None:
        for part in (node.exc, node.cause):
            if part is not None:
                self.eval(part, frame)
        if frame.handlers and frame.env is not None:
            frame.handlers[-1].append(dict(frame.env))
        self.leave(frame)

    def do_Assert(self, node: ast.Assert, frame: Frame) -> None:
        held = truth(self.eval(node.test, frame))
        if held is not True and node.msg is not None:
            self.eval(node.msg, frame)
        if held is False:
            self.leave(frame)

    def do_Break(self, node: ast.Break, frame: Frame) -> None:
        if frame.env is not None and frame.loops:
            frame.loops[-1].breaks.append(frame.env)
        self.leave(frame)

    def do_Continue(self, node: ast.Continue, frame: Frame) -> None:
        if frame.env is not None and frame.loops:
            frame.loops[-1].continues.append(frame.env)
        self.leave(frame)

    def do_Import(self, node: ast.Import, frame: Frame) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            path = alias.name if alias.asname else top
            self.set_name(alias.asname or top, external(path), node, frame)

    def do_ImportFrom(self, node: ast.ImportFrom, frame: Frame) -> None:
        for alias in node.names:
            path = allowed.canonical(f"{node.module}.{alias.name}")
            self.set_name(alias.asname or alias.name, external(path), node, frame)

    def set_name(self, name: str, value: Value, node: ast.AST, frame: Frame) -> None:
        stored = ast.Name(name, ast.Store())
        self.scopes.scope_of[stored] = self.scopes.scope_of.get(node, frame.scope)
        self.store(stored, value, frame)

    def do_If(self, node: ast.If, frame: Frame) -> None:
        held = truth(self.eval(node.test, frame))
        start = frame.env
        yes = self.branch(start if held is not False else None, node.body, frame)
        no = self.branch(start if held is not True else None, node.orelse, frame)
        frame.env = join_envs(yes, no)

    def do_While(self, node: ast.While, frame: Frame) -> None:
        def head() -> bool | None:
            return truth(self.eval(node.test, frame))

        self.loop(node.body, node.orelse, frame, head)

    def do_For(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        value = self.eval(node.iter, frame)
        empty = is_empty(node.iter, value)

        def head() -> bool | None:
            if not empty:
                self.bind(node.target, self.take(value), frame)
            return False if empty else None

        self.loop(node.body, node.orelse, frame, head)

    do_AsyncFor = do_For

    def loop(
        self,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        frame: Frame,
        head: Callable[[], bool | None],
    ) -> None:
        """Go round until nothing new comes up. `head` says whether the body can be entered."""
        before: Env | None = frame.env
        breaks: list[Env] = []
        done: list[Env] = []
        for turn in range(MAX_LOOP_ROUNDS):
            frame.env = dict(before or {})
            held = head()
            start = frame.env
            if held is not True:
                done.append(dict(start))
            if held is False:
                break
            frame.loops.append(Loop())
            end = self.branch(start, body, frame)
            finished = frame.loops.pop()
            breaks += finished.breaks
            after = join_envs(before, end, *finished.continues) or {}
            if after == before:
                break
            before = after if turn < 2 else widen(before or {}, after)
        rest = self.branch(join_envs(*done), orelse, frame)
        frame.env = join_envs(rest, *breaks)

    def do_With(self, node: ast.With | ast.AsyncWith, frame: Frame) -> None:
        for item in node.items:
            manager = self.eval(item.context_expr, frame)
            entered = self.enter_context(manager, node)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, entered, frame)
        self.block(node.body, frame)

    do_AsyncWith = do_With

    def enter_context(self, manager: Value, node: ast.AST) -> Value:
        found = NOTHING
        for atom in manager:
            if isinstance(atom, Instance):
                for name in ("__enter__", "__exit__", "__aenter__", "__aexit__"):
                    method = self.class_member(atom.of, name, atom)
                    if method:
                        result = self.call(method, UNKNOWN_ARGUMENTS, node)
                        found |= result if name.endswith("enter__") else NOTHING
                found |= frozenset({atom})
            else:
                found |= self.take(frozenset({atom})) | frozenset({atom})
        return found

    def do_Try(self, node: ast.Try, frame: Frame) -> None:
        start = dict(frame.env or {})
        frame.handlers.append([start])
        body = self.branch(start, node.body, frame)
        raised = join_envs(*frame.handlers.pop())
        ends = [self.branch(body, node.orelse, frame) if node.orelse else body]
        for handler in node.handlers:
            frame.env = dict(raised or {})
            if handler.type is not None:
                self.eval(handler.type, frame)
            if handler.name:
                self.set_name(handler.name, ANYTHING, handler, frame)
            ends.append(self.branch(frame.env, handler.body, frame))
        if node.finalbody:
            self.branch(join_envs(raised, *ends), node.finalbody, frame)
            if frame.env is None:
                return
            ends = [self.branch(join_envs(*ends), node.finalbody, frame)]
        frame.env = join_envs(*ends)

    do_TryStar = do_Try

    def do_Match(self, node: ast.Match, frame: Frame) -> None:
        subject = self.eval(node.subject, frame)
        start = frame.env
        ends: list[Env | None] = []
        for case in node.cases:
            frame.env = dict(start or {})
            self.bind_pattern(case.pattern, subject, frame)
            held = truth(self.eval(case.guard, frame)) if case.guard is not None else None
            ends.append(self.branch(None if held is False else frame.env, case.body, frame))
        frame.env = join_envs(start, *ends)

    def bind_pattern(self, pattern: ast.pattern, subject: Value, frame: Frame) -> None:
        for node in ast.walk(pattern):
            if isinstance(node, (ast.MatchValue, ast.MatchClass)):
                self.eval(node.value if isinstance(node, ast.MatchValue) else node.cls, frame)
            name = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
            if name:
                whole = node is pattern
                value = subject if whole else self.take(subject) | ANYTHING
                self.set_name(name, value, node, frame)

    def _do_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        self.keep_defaults(node.args, frame)
        if not self.scopes.postponed_annotations:
            for part in (*arguments_of(node.args), node):
                self.see_annotation(getattr(part, "annotation", getattr(part, "returns", None)))
        value: Value = frozenset({Function(node, frame)})
        for decorator in reversed(node.decorator_list):
            wrapper = self.eval(decorator, frame)
            value = self.call(wrapper, Arguments([value]), decorator)
        self.set_name(node.name, value, node, frame)

    do_FunctionDef = _do_function
    do_AsyncFunctionDef = _do_function

    def keep_defaults(self, args: ast.arguments, frame: Frame) -> None:
        positional = [*args.posonlyargs, *args.args]
        late = positional[len(positional) - len(args.defaults) :]
        pairs = [*zip(late, args.defaults, strict=True)]
        pairs += [(p, d) for p, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
        for parameter, default in pairs:
            self.put(parameter, self.eval(default, frame))

    def see_annotation(self, node: ast.expr | None) -> None:
        """Annotations are evaluated where they stand, before Python 3.14."""
        if node is None or self.scopes.postponed_annotations or sys.version_info >= (3, 14):
            return
        self.reached.ran.update(n for n in ast.walk(node) if isinstance(n, ast.Name))

    def do_ClassDef(self, node: ast.ClassDef, frame: Frame) -> None:
        key = ("class", node, frame)
        inner = self.frames.setdefault(key, Frame(self.scopes.inner[node], frame))
        inner.env, inner.final = {}, {}
        cls = Class(node, inner)
        inner.of_class = cls
        bases = [self.eval(base, frame) for base in node.bases]
        for keyword in node.keywords:
            self.eval(keyword.value, frame)
        inner.first = join(*bases)
        self.block(node.body, inner)
        self.leave(inner)
        value: Value = frozenset({cls})
        for decorator in reversed(node.decorator_list):
            value = self.call(self.eval(decorator, frame), Arguments([value]), decorator)
        for base in self.bases(cls):
            if method := self.class_member(base, "__init_subclass__", cls):
                self.call(method, UNKNOWN_ARGUMENTS, node)
        self.set_name(node.name, value, node, frame)

    # expressions

    def eval(self, node: ast.expr, frame: Frame) -> Value:
        self.step()
        of_kind = getattr(self, f"eval_{type(node).__name__}", None)
        if of_kind is not None:
            result: Value = of_kind(node, frame)
            return result
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.use_operator(self.eval(child, frame))
        return ANYTHING

    def use_operator(self, value: Value) -> None:
        for atom in value:
            if isinstance(atom, Instance):
                self.call_dunders(atom)

    def eval_Name(self, node: ast.Name, frame: Frame) -> Value:
        return self.load(node, frame)

    def eval_Constant(self, node: ast.Constant, frame: Frame) -> Value:
        if node.value is Ellipsis:
            return ANYTHING
        return constant(node.value)

    def eval_Attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        return self.member(self.eval(node.value, frame), node.attr, node)

    def eval_NamedExpr(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.eval(node.value, frame)
        here = frame
        while here.scope.kind == "comprehension" and here.parent is not None:
            here = here.parent
        if here.env is not None:
            known = here.env.get(node.target.id, NOTHING) if here is not frame else NOTHING
            here.env[node.target.id] = value | known
        return value

    def eval_IfExp(self, node: ast.IfExp, frame: Frame) -> Value:
        held = truth(self.eval(node.test, frame))
        found = NOTHING
        if held is not False:
            found |= self.eval(node.body, frame)
        if held is not True:
            found |= self.eval(node.orelse, frame)
        return found

    def eval_BoolOp(self, node: ast.BoolOp, frame: Frame) -> Value:
        ends_at = not isinstance(node.op, ast.And)
        found = NOTHING
        for part in node.values:
            value = self.eval(part, frame)
            held = truth(value)
            if held is ends_at:
                return found | value
            if held is None or part is node.values[-1]:
                found |= value
        return found

    def eval_UnaryOp(self, node: ast.UnaryOp, frame: Frame) -> Value:
        value = self.eval(node.operand, frame)
        self.use_operator(value)
        if isinstance(node.op, ast.Not):
            held = truth(value)
            return ANYTHING if held is None else constant(not held)
        known = only_constant(value)
        if known is not None and isinstance(node.op, ast.USub) and known.kind in ("int", "float"):
            return constant(-known.value)  # type: ignore[operator]
        return ANYTHING

    def eval_BinOp(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = self.eval(node.left, frame), self.eval(node.right, frame)
        self.use_operator(left | right)
        a, b = only_constant(left), only_constant(right)
        if a and b and a.kind == b.kind == "int" and type(node.op) in ARITHMETIC:
            result = ARITHMETIC[type(node.op)](a.value, b.value)
            return constant(result) if abs(result) < MAX_NUMBER else ANYTHING  # type: ignore[arg-type]
        if a and b and a.kind == b.kind == "str" and isinstance(node.op, ast.Add):
            text = f"{a.value}{b.value}"
            return constant(text) if len(text) < MAX_TEXT else ANYTHING
        held = [atom for atom in left | right if isinstance(atom, (Tuple, Box))]
        if held and isinstance(node.op, (ast.Add, ast.Mult, ast.BitOr)):
            self.put(node, self.take(frozenset(held)))
            return frozenset({Box(node)}) | ANYTHING
        return ANYTHING

    def eval_Compare(self, node: ast.Compare, frame: Frame) -> Value:
        values = [self.eval(part, frame) for part in [node.left, *node.comparators]]
        self.use_operator(join(*values))
        if len(values) != 2 or type(node.ops[0]) not in COMPARE:
            return ANYTHING
        a, b = (only_constant(value) for value in values)
        if a is None or b is None:
            return ANYTHING
        try:
            return constant(bool(COMPARE[type(node.ops[0])](a.value, b.value)))
        except TypeError:
            return ANYTHING

    def eval_Tuple(self, node: ast.Tuple, frame: Frame) -> Value:
        if any(isinstance(element, ast.Starred) for element in node.elts):
            return self.eval_List(node, frame)
        return tuple_of([self.eval(element, frame) for element in node.elts])

    def eval_List(self, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Value:
        self.boxes.setdefault(node, Content())
        for element in node.elts:
            if isinstance(element, ast.Starred):
                self.put(node, self.take(self.eval(element.value, frame)))
            else:
                self.put(node, self.eval(element, frame))
        return frozenset({Box(node)})

    eval_Set = eval_List

    def eval_Dict(self, node: ast.Dict, frame: Frame) -> Value:
        self.boxes.setdefault(node, Content())
        for key, value in zip(node.keys, node.values, strict=True):
            held = self.eval(value, frame)
            if key is None:
                self.put(node, self.take(held))
            else:
                self.put(node, held, only_constant(self.eval(key, frame)))
        return frozenset({Box(node)})

    def eval_Subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        base = self.eval(node.value, frame)
        key = only_constant(self.eval(node.slice, frame))
        found = NOTHING
        for atom in base:
            if isinstance(atom, Tuple) and key is not None and isinstance(key.value, int):
                inside = -len(atom.items) <= key.value < len(atom.items)
                found |= atom.items[key.value] if inside else NOTHING
            elif isinstance(atom, Box) and key is not None:
                content = self.boxes.setdefault(atom.site, Content())
                found |= (content.keyed.get(key, NOTHING) | content.rest) or content.all()
            elif isinstance(atom, (Tuple, Box)) and isinstance(node.slice, ast.Slice):
                found |= frozenset({atom})
            elif isinstance(atom, (Tuple, Box, Instance)):
                found |= self.take(frozenset({atom}))
            elif isinstance(atom, (Class, External)):
                found |= frozenset({atom})
            else:
                found |= ANYTHING
        return found or ANYTHING

    def eval_Lambda(self, node: ast.Lambda, frame: Frame) -> Value:
        self.keep_defaults(node.args, frame)
        return frozenset({Function(node, frame)})

    def eval_Starred(self, node: ast.Starred, frame: Frame) -> Value:
        return self.take(self.eval(node.value, frame))

    def eval_Await(self, node: ast.Await, frame: Frame) -> Value:
        return self.take(self.eval(node.value, frame))

    def eval_Yield(self, node: ast.Yield, frame: Frame) -> Value:
        value = self.eval(node.value, frame) if node.value is not None else constant(None)
        frame.yields |= value
        return ANYTHING

    def eval_YieldFrom(self, node: ast.YieldFrom, frame: Frame) -> Value:
        frame.yields |= self.take(self.eval(node.value, frame))
        return ANYTHING

    def eval_JoinedStr(self, node: ast.JoinedStr, frame: Frame) -> Value:
        texts: list[str] | None = []
        for part in node.values:
            value = self.eval(part.value if isinstance(part, ast.FormattedValue) else part, frame)
            self.use_operator(value)
            known = only_constant(value)
            plain = not isinstance(part, ast.FormattedValue) or part.format_spec is None
            if texts is not None and known is not None and plain and known.kind == "str":
                texts.append(str(known.value))
            else:
                texts = None
        if texts is None or sum(map(len, texts)) > MAX_TEXT:
            return ANYTHING
        return constant("".join(texts))

    def _eval_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp, frame: Frame
    ) -> Value:
        self.boxes.setdefault(node, Content())
        self.put(node, self.comprehend(node, frame))
        return frozenset({Box(node)})

    eval_ListComp = _eval_comprehension
    eval_SetComp = _eval_comprehension
    eval_DictComp = _eval_comprehension

    def eval_GeneratorExp(self, node: ast.GeneratorExp, frame: Frame) -> Value:
        first = self.eval(node.generators[0].iter, frame)
        return self.lazy(node, frame, lambda: self.comprehend(node, frame, first))

    def comprehend(
        self,
        node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
        frame: Frame,
        first: Value | None = None,
    ) -> Value:
        """The elements that a comprehension makes."""
        inner = self.frames.setdefault(("comp", node, frame), Frame(self.scopes.inner[node], frame))
        inner.env = {}
        inner.of_class, inner.first = frame.of_class, frame.first
        for i, generator in enumerate(node.generators):
            if i == 0 and first is not None:
                value = first
            else:
                value = self.eval(generator.iter, frame if i == 0 else inner)
            if is_empty(generator.iter, value):
                return NOTHING
            self.bind(generator.target, self.take(value), inner)
            for condition in generator.ifs:
                if truth(self.eval(condition, inner)) is False:
                    return NOTHING
        if isinstance(node, ast.DictComp):
            self.eval(node.key, inner)
            return self.eval(node.value, inner)
        return self.eval(node.elt, inner)

    # calls

    def eval_Call(self, node: ast.Call, frame: Frame) -> Value:
        function = self.eval(node.func, frame)
        if External("builtins.super") in function:
            return self.make_super(node, frame)
        given = self.arguments(node, frame)
        if External("builtins.getattr") in function and len(given.positional) >= 2:
            return self.get_attribute(given, node) | (
                self.call(function - external("builtins.getattr"), given, node)
                if len(function) > 1
                else NOTHING
            )
        if External("builtins.setattr") in function and len(given.positional) >= 3:
            key = only_constant(given.positional[1])
            name = key.value if key is not None and isinstance(key.value, str) else ""
            self.set_attribute(given.positional[0], name, given.positional[2], node)
        return self.call(function, given, node)

    def arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        given = Arguments()
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                given.more |= self.take(self.eval(arg.value, frame))
            elif given.more:
                given.more |= self.eval(arg, frame)
            else:
                given.positional.append(self.eval(arg, frame))
        for keyword in node.keywords:
            value = self.eval(keyword.value, frame)
            if keyword.arg is None:
                given.more |= self.take(value)
            else:
                given.named[keyword.arg] = value
        return given

    def get_attribute(self, given: Arguments, node: ast.Call) -> Value:
        owner, name = given.positional[:2]
        found = join(*given.positional[2:])
        known = [atom.value for atom in name if isinstance(atom, Const)]
        if len(known) == len(name) and all(isinstance(text, str) for text in known):
            for text in known:
                found |= self.member(owner, str(text), node)
            return found
        for atom in owner:
            if isinstance(atom, (Instance, Class)):
                of = atom.of if isinstance(atom, Instance) else atom
                found = join(found, *(v for (c, _), v in self.attributes.items() if c == of))
                for _, value in self.methods(of):
                    found = join(found, *(self.bound(a, atom) for a in value))
        return found | ANYTHING

    def make_super(self, node: ast.Call, frame: Frame) -> Value:
        here: Frame | None = frame
        while here is not None and (here.of_class is None or here.scope.kind == "class"):
            here = here.parent
        if here is None or here.of_class is None:
            return ANYTHING
        owners = [atom for atom in here.first if isinstance(atom, (Instance, Class))]
        owner: Instance | Class = owners[0] if owners else Instance(here.of_class)
        return frozenset({Super(here.of_class, owner)})


def arguments_of(args: ast.arguments) -> list[ast.arg]:
    rest = [part for part in (args.vararg, args.kwarg) if part is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]


def is_empty(node: ast.expr, value: Value) -> bool:
    """Whether a loop over this surely has no turn: `[]`, `()`, `""`, `range(0)`."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        stop = node.args[0] if len(node.args) == 1 else None
        return isinstance(stop, ast.Constant) and stop.value == 0
    known = only_constant(value)
    if known is not None:
        return known.kind in ("str", "bytes") and not known.value
    return bool(value) and all(isinstance(atom, Tuple) and not atom.items for atom in value)


def widen(before: Env, after: Env) -> Env:
    """Give up on the values that still change, so that the loop settles."""
    return {
        name: value if value == before.get(name) else value | ANYTHING
        for name, value in after.items()
    }


__all__ = ["Machine", "Reached", "reach"]

"""What an answer may import and touch. Reads the tree, runs nothing.

Three ideas carry it:

- a module object may be named and asked for a permitted attribute, and nothing else: it is never
  an argument, an element or a result, so no attribute of an unknown value can be a module's;
- on an unknown value, private names, dunders and the few public names that lead to frames, memory
  or the interpreter are refused, however they are spelled (`x.a`, constant `getattr`, a class
  pattern, a format string);
- what would make a class or run text out of strings (`type(a, b, c)`, metaclasses, `dataclass` and
  `wraps` as functions, `__match_args__`) is allowed in its ordinary form alone.

A `getattr` or `setattr` with a computed name on something that is no module is honest code and is
left to `guards.clean_builtins`, which the ranks run with.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ringlab.grading import allowed
from ringlab.grading.finding import Finding
from ringlab.grading.names import UNKNOWN, Meaning, Scopes, arguments_given
from ringlab.words import source as words

# Classes whose objects the recorder reads; one that lies about its size would lie to it.
TENSORS = frozenset({"torch.Tensor"}) | frozenset(
    f"torch.nn.{module}{name}"
    for module in ("", "parameter.")
    for name in ("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer")
)


@dataclass(frozen=True)
class Policy:
    """What an exercise's answers may import, beyond what every answer may.

    `modules` maps a module to the names that may be taken from it, ("*",) for every public one;
    `builtins` names the builtins that are let through.
    """

    modules: tuple[tuple[str, tuple[str, ...]], ...] = ()
    builtins: frozenset[str] = frozenset()

    def extra(self, module: str) -> tuple[str, ...] | None:
        return dict(self.modules).get(module)

    def is_module(self, path: str) -> bool:
        return allowed.is_module(path) or self.extra(path) is not None

    def may_reach(self, path: str) -> bool:
        """Whether a full name may be used, under any of the addresses of its module."""
        module, _, name = path.rpartition(".")
        made = name.endswith("()")
        if made or not self.is_module(module) or self.is_module(path):
            return True
        twins = [twin for twin, first in allowed.SAME_MODULE.items() if first == module]
        return any(self.may_take(twin, name) for twin in [module, *twins])

    def may_take(self, module: str, name: str) -> bool:
        extra = self.extra(module) or ()
        if name in extra or ("*" in extra and not name.startswith("_")):
            return True
        return allowed.is_module(module) and allowed.may_take(module, name)


DEFAULT_POLICY = Policy()

ENDS_PROCESS = frozenset({"exit", "quit", "SystemExit"})
RUNS_TEXT = frozenset({"eval", "exec", "compile", "__import__"})
TOUCHES_FILES = frozenset({"open", "input", "help", "breakpoint", "license"})
SHOWS_SCOPE = frozenset({"globals", "locals", "vars"})
MEMORY_ATTRIBUTES = frozenset(
    {"data_ptr", "const_data_ptr", "untyped_storage", "storage", "share_memory_", "ctypes"}
)
WRITABLE_DUNDERS = frozenset({"__name__", "__qualname__", "__doc__"})
# Calls that take a module and keep it to themselves.
KEEPS_TO_ITSELF = frozenset(
    f"builtins.{name}" for name in ("print", "str", "repr", "id", "bool", "hasattr", "callable")
)
OWN_GROUP = frozenset(
    f"torch.distributed.{name}" for name in ("init_process_group", "destroy_process_group")
)
SHOWS = frozenset(f"builtins.{name}" for name in ("print", "str", "repr", "len", "float", "int"))
NUMBERS_OF_ARRAY = frozenset({"tolist", "item", "shape", "size", "ndim", "nbytes"})
REDUCES_ARRAY = frozenset({"sum", "mean", "max", "min", "all", "any", "std", "prod"})
BUILT_BY_HAND = (
    "torch.nn.parallel",
    "torch.nn.DataParallel",
    "torch.distributed.optim",
    "torch.distributed.fsdp",
    "torch.distributed.tensor",
    "torch.nn.SyncBatchNorm",
)
NOTEBOOK_NAMES = frozenset({"lab", "ringlab", "check", "display", "get_ipython", "In", "Out"})


def check_policy(tree: ast.Module, scopes: Scopes, policy: Policy) -> list[Finding]:
    """Everything in the tree that the policy refuses, in the order of lines."""
    walker = _Walker(tree, scopes, policy)
    for node in ast.walk(tree):
        walker.look(node)
    return walker.findings


def is_dunder(name: str) -> bool:
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


class _Walker:
    def __init__(self, tree: ast.Module, scopes: Scopes, policy: Policy) -> None:
        self.scopes = scopes
        self.policy = policy
        self.findings: list[Finding] = []
        self.parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self.own = set(_own_attributes(tree))

    def say(self, node: ast.AST, template: str, **values: object) -> None:
        finding = Finding(getattr(node, "lineno", None), template.format(**values))
        if finding not in self.findings:
            self.findings.append(finding)

    def look(self, node: ast.AST) -> None:
        self.scopes.budget.step()
        method = getattr(self, f"look_{type(node).__name__}", None)
        if method is not None:
            method(node)
        if isinstance(node, ast.expr):
            self.look_escape(node)
        name = getattr(node, "name", None)
        if isinstance(name, str) and not isinstance(node, ast.alias):
            self.look_definition(node, name)

    def known(self, node: ast.expr) -> set[str]:
        """The dotted paths among the meanings of an expression."""
        self.scopes.budget.step(1 + len(self.scopes.meaning(node)) // 8)
        return {m for m in self.scopes.meaning(node) if isinstance(m, str) and m != UNKNOWN}

    # imports

    def look_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if self.may_import(node, alias.name):
                self.look_class_import(node, alias.name)

    def may_import(self, node: ast.stmt, module: str) -> bool:
        top = module.partition(".")[0]
        if top == "ringlab":
            self.say(node, words.IMPORT_RINGLAB)
        elif module.startswith(BUILT_BY_HAND):
            self.say(node, words.IMPORT_DDP, path=module)
        elif not self.policy.is_module(module):
            template = words.OUT_OF_BOUNDS if top == "torch" else words.IMPORT_REFUSED
            self.say(node, template, module=module, path=module, allowed=allowed.IMPORTS_IN_WORDS)
        else:
            return True
        return False

    def look_class_import(self, node: ast.stmt, path: str) -> None:
        scope = self.scopes.scope_of.get(node)
        if scope is not None and scope.kind == "class" and self.policy.is_module(path):
            self.say(node, words.IMPORT_IN_CLASS, module=path)

    def look_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level:
            dots = "." * node.level + module
            self.say(node, words.IMPORT_RELATIVE, dots=dots, allowed=allowed.IMPORTS_IN_WORDS)
        elif any(alias.name == "*" for alias in node.names):
            self.say(node, words.IMPORT_STAR, module=module)
        elif module.startswith(BUILT_BY_HAND) or self.may_import(node, module):
            for alias in node.names:
                self.look_member(node, module, alias.name)
                self.look_class_import(node, f"{module}.{alias.name}")

    def look_member(self, node: ast.AST, module: str, name: str) -> None:
        """A name taken from a module."""
        path = allowed.canonical(f"{module}.{name}")
        if self.policy.may_take(module, name):
            return
        if path.startswith(BUILT_BY_HAND):
            self.say(node, words.IMPORT_DDP, path=path)
        elif path in allowed.OBJECTS:
            self.say(node, words.PICKLES, path=path)
        elif path in OWN_GROUP:
            self.say(node, words.OWN_GROUP, path=path)
        elif path in ("torch.compile", "torch.jit"):
            self.say(node, words.COMPILED, path=path)
        elif path.startswith("torch."):
            self.say(node, words.OUT_OF_BOUNDS, path=path)
        elif path in words.READS_BY_NAME:
            self.say(node, words.BY_NAME, path=path, instead=words.READS_BY_NAME[path])
        else:
            self.say(node, words.OUT_OF_BOUNDS_STDLIB, path=path, module=module)

    # names

    def look_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.look_definition(node, node.id)
            return
        for path in self.known(node):
            if path.startswith("builtins."):
                self.look_builtin(node, path.removeprefix("builtins."))
        if is_dunder(node.id) and node.id not in allowed.MODULE_DUNDERS:
            # `__radd__ = __add__` in a class body.
            own = node.id in allowed.READABLE_DUNDERS and self.scopes.home(node) is not None
            if not own:
                self.say(node, words.DUNDER, name=node.id)
        self.look_careful(node)

    def look_builtin(self, node: ast.Name, name: str) -> None:
        if name not in allowed.FORBIDDEN_BUILTINS or name in self.policy.builtins:
            return
        for names, template in (
            (ENDS_PROCESS, words.ENDS_PROCESS),
            (RUNS_TEXT, words.RUNS_TEXT),
            (TOUCHES_FILES, words.TOUCHES_FILES),
            (SHOWS_SCOPE, words.SHOWS_SCOPE),
        ):
            if name in names:
                self.say(node, template, name=name)
                return
        self.say(node, words.FORBIDDEN_BUILTIN, name=name)

    def look_definition(self, node: ast.AST, name: str) -> None:
        if is_dunder(name) and name not in allowed.DEFINABLE_DUNDERS:
            self.say(node, words.DUNDER_DEFINED, name=name)
        if name == "__match_args__" and not isinstance(node, ast.ClassDef):
            self.look_match_args(node)

    def look_match_args(self, node: ast.AST) -> None:
        parent = self.parents.get(node)
        value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
        names = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
        if names is None:
            self.say(node, words.MATCH_ARGS)
            return
        for name in names:
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.look_attribute_name(name, name.value)
            else:
                self.say(node, words.MATCH_ARGS)

    def look_arg(self, node: ast.arg) -> None:
        self.look_definition(node, node.arg)

    # attributes

    def look_Attribute(self, node: ast.Attribute) -> None:
        bases = self.scopes.meaning(node.value)
        store = not isinstance(node.ctx, ast.Load)
        for base in bases:
            if isinstance(base, str) and base != UNKNOWN:
                self.look_path(node, node.value, base, node.attr, store)
        if not bases or any(not isinstance(base, str) or base == UNKNOWN for base in bases):
            self.look_unknown(node, node.attr, store)
        if node.attr in ("format", "format_map"):
            self.look_format(node)
        self.look_careful(node)

    def look_path(self, node: ast.expr, owner: ast.expr, base: str, name: str, store: bool) -> None:
        """An attribute of something from outside: a module, a class or function of torch."""
        if store:
            self.say(node, words.ASSIGNED_INTO, path=f"{base}.{name}")
        elif self.policy.is_module(base):
            self.look_member(node, base, name)
        elif base == "torch.distributed.ProcessGroup":
            if name not in allowed.GROUP_METHODS:
                self.say(node, words.OUT_OF_BOUNDS, path=f"{base}.{name}")
        elif base == "builtins.type":
            if name not in ("__name__", "__qualname__"):
                self.say(node, words.TYPE_AS_BASE)
        elif base == "builtins.object" and name == "__setattr__":
            self.look_object_setattr(node)
        elif base.startswith(allowed.ENGINE):
            if f"{base}.{name}" != allowed.ENGINE_CALLBACK:
                self.say(node, words.OUT_OF_BOUNDS, path=f"{base}.{name}")
        elif f"{base}.{name}" != allowed.ENGINE:
            self.look_attribute_name(node, name)

    def look_object_setattr(self, node: ast.expr) -> None:
        """`object.__setattr__(self, "name", value)` is how a frozen dataclass sets a field."""
        call = self.parents.get(node)
        if isinstance(call, ast.Call) and call.func is node and len(call.args) == 3:
            names = self.scopes.strings(call.args[1])
            if isinstance(call.args[0], ast.Name) and not self.known(call.args[0]) and names:
                for name in names:
                    self.look_unknown(call, name, store=True)
                return
        self.say(node, words.DUNDER, name="__setattr__")

    def look_unknown(self, node: ast.expr, name: str, store: bool) -> None:
        if not store:
            self.look_attribute_name(node, name)
        elif isinstance(node, ast.Attribute) and self.is_foreign_class(node.value):
            self.say(node, words.ASSIGNED_INTO, path=f"{ast.unparse(node.value)}.{name}")
        elif is_dunder(name) and name not in WRITABLE_DUNDERS:
            self.say(node, words.DUNDER, name=name)
        elif name in allowed.FORBIDDEN_PRIVATE:
            self.say(node, words.PRIVATE_TAKEN, name=name)

    def is_foreign_class(self, node: ast.expr) -> bool:
        """`type(x)` where x isn't the object whose method this is."""
        if not (isinstance(node, ast.Call) and self.is_class_of(node) and node.args):
            return isinstance(node, ast.Attribute) and self.is_class_of(node)
        return not self.is_self(node.args[0])

    def is_self(self, node: ast.expr) -> bool:
        """The first parameter of a method."""
        if not isinstance(node, ast.Name):
            return False
        home = self.scopes.home(node)
        if home is None or home.parent is None or home.parent.kind != "class":
            return False
        args = getattr(home.node, "args", None)
        first = [*args.posonlyargs, *args.args][:1] if args is not None else []
        return bool(first) and first[0].arg == node.id

    def look_attribute_name(self, node: ast.AST, name: str) -> None:
        """Reading `name` from a value that isn't known."""
        if is_dunder(name):
            if not self.may_read_dunder(node, name):
                self.say(node, words.DUNDER, name=name)
        elif name in allowed.FORBIDDEN_ATTRIBUTES - (allowed.HARMLESS_IF_OWN & self.own):
            if name == "numpy":
                if not self.uses_up(node):
                    self.say(node, words.NUMPY)
            else:
                template = words.MEMORY if name in MEMORY_ATTRIBUTES else words.INTERNAL
                self.say(node, template, name=name)
        elif name in allowed.FORBIDDEN_PRIVATE:
            self.say(node, words.PRIVATE_TAKEN, name=name)
        elif name.startswith("_") and name not in allowed.COMMON_PRIVATE | self.own:
            self.say(node, words.PRIVATE, name=name)

    def uses_up(self, node: ast.AST) -> bool:
        """`tensor.numpy()` shown or turned into a number at once; the array is not kept.

        An array's class makes objects out of raw memory, and numpy's numbers make arrays.
        """
        call = self.parents.get(node)
        if not isinstance(node, ast.Attribute) or not isinstance(call, ast.Call):
            return False
        parent = self.parents.get(call)
        if isinstance(parent, ast.Attribute) and parent.attr in REDUCES_ARRAY:
            reduced = self.parents.get(parent)
            return isinstance(reduced, ast.Call) and self.is_shown(reduced)
        if isinstance(parent, ast.Attribute):
            return parent.attr in NUMBERS_OF_ARRAY
        return self.is_shown(call)

    def is_shown(self, node: ast.expr) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call):
            return node in parent.args and self.scopes.meaning(parent.func) <= SHOWS
        return isinstance(parent, (ast.FormattedValue, ast.Expr))

    def may_read_dunder(self, node: ast.AST, name: str) -> bool:
        if name == "__class__":
            return self.may_read_class(node)
        if name in allowed.SUPER_CALLS:
            return self.asks_super(node, allowed.SUPER_CALLS[name])
        return name in allowed.READABLE_DUNDERS

    def asks_super(self, node: ast.AST, count: int) -> bool:
        """`super().name(...)` with `count` plain arguments."""
        call = self.parents.get(node)
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Call)
            and self.known(node.value.func) == {"builtins.super"}
            and isinstance(call, ast.Call)
            and call.func is node
            and len(call.args) == count
            and not any(isinstance(arg, ast.Starred) for arg in call.args)
        )

    def may_read_class(self, node: ast.AST) -> bool:
        """`x.__class__` for its name, to compare, or to make another one like x."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("__name__", "__qualname__")
        if isinstance(parent, ast.Compare):
            # With `==` the other side would be handed the class.
            same = all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
            return same or all(map(self.is_class_of, [parent.left, *parent.comparators]))
        if isinstance(parent, ast.Call):
            if parent.func is node:
                return not _could_make_class(parent)
            return self.known(parent.func) == {"builtins.isinstance"} and parent.args[1:] == [node]
        return False

    def is_class_of(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr == "__class__"
        return isinstance(node, ast.Call) and self.known(node.func) == {"builtins.type"}

    # calls

    def look_Call(self, node: ast.Call) -> None:
        known = self.known(node.func)
        for name in ("getattr", "setattr", "delattr", "hasattr"):
            if f"builtins.{name}" in known:
                self.look_getattr(node, name)
        if known & allowed.ENUM_CLASSES:
            self.look_enum_call(node)
        if "builtins.type" in known and _makes_class(node):
            self.say(node, words.TYPE_MAKES_CLASS)
        if isinstance(node.func, ast.Subscript) and "builtins.type" in self.known(node.func.value):
            self.say(node, words.TYPE_MAKES_CLASS)
        if isinstance(node.func, ast.Call) and self.known(node.func.func) == {"builtins.type"}:
            if _could_make_class(node):
                self.say(node, words.TYPE_MAKES_CLASS)

    def look_getattr(self, node: ast.Call, function: str) -> None:
        starred = any(isinstance(arg, ast.Starred) for arg in node.args)
        if starred or node.keywords or len(node.args) < 2:
            self.say(node, words.STARRED_GETATTR, function=function)
            return
        if function == "hasattr":
            return
        owner = node.args[0]
        store = function != "getattr"
        names = self.scopes.strings(node.args[1])
        paths = self.known(owner)
        if names is None and paths:
            text = ast.unparse(owner)
            self.say(node, words.COMPUTED_NAME, function=function, target=text)
        for name in names or ():
            for path in paths:
                self.look_path(node, owner, path, name, store)
            if self.scopes.meaning(owner) - paths:
                self.look_unknown(node, name, store)

    def look_format(self, node: ast.Attribute) -> None:
        """`"{0.__class__}".format(x)` reads attributes as well."""
        templates = self.scopes.strings(node.value)
        if templates is None:
            if node.attr not in self.own and not self.known(node.value) - {"builtins.str"}:
                self.say(node, words.FORMAT_TEMPLATE)
            return
        for template in templates:
            for name in _attributes_in_template(template):
                if name != "__class__":
                    self.look_attribute_name(node, name)

    def look_enum_call(self, node: ast.Call) -> None:
        """`Enum("Phase", "REDUCE GATHER")`: the members must be written out, for they may be more.

        A table of members may hold special methods as well.
        """
        if len(node.args) <= 1 and not node.keywords:
            return
        members = node.args[1] if len(node.args) == 2 and not node.keywords else None
        parts = members.elts if isinstance(members, (ast.List, ast.Tuple)) else [members]
        for part in parts:
            names = self.scopes.strings(part) if part is not None else None
            if names is None or any("__" in name for name in names):
                self.say(node, words.ENUM_CALL)
                return

    # things that are fine in one form only

    def look_careful(self, node: ast.Name | ast.Attribute) -> None:
        known = self.known(node)
        if "dataclasses.dataclass" in known and not self.decorates(node, ast.ClassDef):
            self.say(node, words.DATACLASS_USE)
        if "functools.wraps" in known and not self.wraps_function(node):
            self.say(node, words.WRAPS_USE)
        if "warnings.catch_warnings" in known and not self.is_with_item(node):
            self.say(node, words.CATCH_WARNINGS_USE)
        if self.makes_enums(node) and not self.names_enum(node):
            self.say(node, words.ENUM_USE)
        if "abc.ABCMeta" in known:
            parent = self.parents.get(node)
            if not (isinstance(parent, ast.keyword) and parent.arg == "metaclass"):
                if not self.only_names_it(node):
                    self.say(node, words.METACLASS_USE)

    def makes_enums(self, node: ast.expr) -> bool:
        """An enum class without members: called, it makes another class."""
        for meaning in self.scopes.meaning(node):
            if isinstance(meaning, ast.ClassDef):
                if self.scopes.ancestors(meaning) & allowed.ENUM_CLASSES:
                    if not any(map(_is_member, meaning.body)):
                        return True
            elif meaning in allowed.ENUM_CLASSES:
                return True
        return False

    def names_enum(self, node: ast.expr) -> bool:
        """Where an enum class may stand: as a base, an annotation, in `isinstance` or a call."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.ClassDef) or node in self.scopes.annotations:
            return True
        if isinstance(parent, ast.Attribute):
            return True
        if isinstance(parent, ast.Call):
            if parent.func is node:
                return bool(self.known(node) & allowed.ENUM_CLASSES) or len(parent.args) == 1
            return self.known(parent.func) <= {"builtins.isinstance", "builtins.issubclass"}
        return self.only_names_it(node)

    def only_names_it(self, node: ast.expr) -> bool:
        """Assigned to a name, which is looked at where it is used."""
        parent = self.parents.get(node)
        return isinstance(parent, ast.Assign) and all(
            isinstance(target, ast.Name) for target in parent.targets
        )

    def decorates(self, node: ast.expr, kind: type) -> bool:
        parent = self.parents.get(node)
        outer = node
        if isinstance(parent, ast.Call) and parent.func is node:
            outer, parent = parent, self.parents.get(parent)
        if isinstance(parent, kind) and outer in getattr(parent, "decorator_list", []):
            return True
        return self.only_names_it(node)

    def wraps_function(self, node: ast.expr) -> bool:
        if self.only_names_it(node):
            return True
        call = self.parents.get(node)
        if not (isinstance(call, ast.Call) and call.func is node):
            return False
        function = self.parents.get(call)
        plain = len(call.args) == 1 and not call.keywords
        plain = plain and not isinstance(call.args[0], ast.Starred)
        return (
            plain
            and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            and function.decorator_list[-1:] == [call]
        )

    def is_with_item(self, node: ast.expr) -> bool:
        if self.only_names_it(node):
            return True
        call = self.parents.get(node)
        if not (isinstance(call, ast.Call) and call.func is node):
            return False
        named = {keyword.arg for keyword in call.keywords}
        return (
            isinstance(self.parents.get(call), ast.withitem)
            and not call.args
            and named <= {"record", "action", "category"}
        )

    # classes and patterns

    def look_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self.look_base(base)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.say(node, words.UNKNOWN_BASE, text="**" + ast.unparse(keyword.value))
            elif keyword.arg == "metaclass":
                if self.scopes.meaning(keyword.value) - {"abc.ABCMeta", "builtins.type"}:
                    self.say(node, words.TYPE_AS_BASE)

    def look_base(self, base: ast.expr) -> None:
        named = base.value if isinstance(base, ast.Subscript) else base
        meanings = self.scopes.meaning(named)
        if "builtins.type" in meanings or "abc.ABCMeta" in meanings:
            self.say(base, words.TYPE_AS_BASE)
        elif meanings & TENSORS:
            self.say(base, words.TENSOR_AS_BASE)
        elif not meanings or any(not _is_class(meaning) for meaning in meanings):
            self.say(base, words.UNKNOWN_BASE, text=ast.unparse(base))

    def look_MatchClass(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            self.look_attribute_name(node, name)
        meanings = self.scopes.meaning(node.cls)
        if node.patterns and any(not _is_class(meaning) for meaning in meanings or {UNKNOWN}):
            self.say(node, words.UNKNOWN_PATTERN, text=ast.unparse(node))

    # modules stay where they are

    def look_AugAssign(self, node: ast.AugAssign) -> None:
        for path in self.known(node.target):
            if self.policy.is_module(path):
                self.say(node, words.ASSIGNED_INTO, path=path)

    def look_escape(self, node: ast.expr) -> None:
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return
        for path in self.known(node):
            if self.policy.is_module(path) and not self.stays(node):
                self.say(node, words.MODULE_ESCAPES, path=path, text=ast.unparse(node))

    def stays(self, node: ast.expr) -> bool:
        """Whether the place where a module object stands lets nobody get at it."""
        parent = self.parents.get(node)
        if isinstance(parent, (ast.Attribute, ast.Expr, ast.FormattedValue)):
            return True
        if isinstance(parent, (ast.IfExp, ast.BoolOp, ast.If, ast.While)):
            return True
        if isinstance(parent, ast.Assert):
            return parent.test is node
        if isinstance(parent, ast.NamedExpr):
            return self.outside_class(node)
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.Not)
        if isinstance(parent, ast.Compare):
            return all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
        if isinstance(parent, ast.arguments):
            return True
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            return self.is_alias(parent)
        if isinstance(parent, (ast.Tuple, ast.List)):
            return self.is_parallel_alias(parent)
        if isinstance(parent, ast.keyword):
            call = self.parents.get(parent)
            return isinstance(call, ast.Call) and self.keeps(call, parent.value)
        if isinstance(parent, ast.Call):
            return self.keeps(parent, node)
        return False

    def is_alias(self, node: ast.Assign | ast.AnnAssign) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return self.outside_class(node) and all(isinstance(target, ast.Name) for target in targets)

    def outside_class(self, node: ast.AST) -> bool:
        """A name bound in a class body becomes an attribute, which can't be followed."""
        scope = self.scopes.scope_of.get(node)
        return scope is not None and scope.kind != "class"

    def is_parallel_alias(self, node: ast.Tuple | ast.List) -> bool:
        """`a, b = torch, dist`, name by name."""
        parent = self.parents.get(node)
        if not isinstance(parent, ast.Assign) or parent.value is not node:
            return False
        return self.outside_class(parent) and all(
            isinstance(target, (ast.Tuple, ast.List))
            and len(target.elts) == len(node.elts)
            and all(isinstance(element, ast.Name) for element in target.elts)
            for target in parent.targets
        )

    def keeps(self, call: ast.Call, argument: ast.expr) -> bool:
        """Whether the called function can be followed with a module as this argument."""
        targets = self.scopes.meaning(call.func)
        return bool(targets) and all(self.follows(target, call, argument) for target in targets)

    def follows(self, target: Meaning, call: ast.Call, argument: ast.expr) -> bool:
        if isinstance(target, str):
            first = bool(call.args) and call.args[0] is argument
            getter = target == "builtins.getattr" and first
            return target in KEEPS_TO_ITSELF or getter
        if not isinstance(target, (ast.FunctionDef, ast.Lambda)):
            return False
        return any(value is argument for _, value in arguments_given(target, call))


def _own_attributes(tree: ast.Module) -> Iterator[str]:
    """Names that the cell itself uses for attributes, methods and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.startswith("_") and node.value.isidentifier():
                yield node.value
        elif isinstance(node, ast.ClassDef):
            yield from _names_in_class(node)
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def _names_in_class(node: ast.ClassDef) -> Iterator[str]:
    for statement in ast.walk(node):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
            yield statement.id


def _is_class(meaning: Meaning) -> bool:
    if isinstance(meaning, str):
        return meaning != UNKNOWN
    return isinstance(meaning, ast.ClassDef)


def _is_member(statement: ast.stmt) -> bool:
    """A line of an enum's body that gives it a member."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id[0] != "_" for target in targets)


def _makes_class(call: ast.Call) -> bool:
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    return starred or len(call.args) != 1 or bool(call.keywords)


def _could_make_class(call: ast.Call) -> bool:
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    return len(call.args) == 3 or (starred and not call.keywords)


def _attributes_in_template(template: str) -> Iterator[str]:
    try:
        fields = list(string.Formatter().parse(template))
    except ValueError:
        return
    for _, name, spec, _ in fields:
        yield from re.findall(r"\.([^.\[\]]+)", name or "")
        if spec and spec != template:
            yield from _attributes_in_template(spec)


def undefined_names(scopes: Scopes, runs: Iterable[ast.AST]) -> list[Finding]:
    """Names that the cell takes from elsewhere, among the nodes in `runs` that really run."""
    findings = []
    for node in runs:
        if not isinstance(node, ast.Name) or scopes.is_defined(node):
            continue
        own = node.id in NOTEBOOK_NAMES
        template = words.UNDEFINED_NOTEBOOK if own else words.UNDEFINED
        findings.append(Finding(node.lineno, template.format(name=node.id)))
    return findings

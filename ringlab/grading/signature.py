"""Whether the function or class that an exercise asks for is there, and takes what it should."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ringlab.grading.calls import has_yield
from ringlab.grading.finding import Finding
from ringlab.grading.names import Scopes, defaults
from ringlab.words import source as words

Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Wanted:
    name: str
    kind: str
    parameters: tuple[str, ...]
    methods: tuple[tuple[str, tuple[str, ...]], ...]
    base: str | None

    def signature(self) -> str:
        if self.kind == "class":
            base = f"({self.base})" if self.base else ""
            return f"class {self.name}{base}:"
        return f"def {self.name}({', '.join(self.parameters)}):"


def check_signature(tree: ast.Module, scopes: Scopes, wanted: Wanted) -> list[Finding]:
    """What is wrong with the definition that counts: the last one that can run."""
    found = last_definition(tree, wanted.name)
    signature = wanted.signature()
    if found is None:
        inside = _inside(tree, wanted.name)
        if inside is not None:
            outer, node = inside
            message = words.NOT_AT_TOP.format(name=wanted.name, inside=outer)
            return [Finding(node.lineno, message)]
        return [Finding(None, words.MISSING.format(name=wanted.name, signature=signature))]
    line = found.lineno
    if isinstance(found, (ast.Assign, ast.AnnAssign)):
        return [Finding(line, words.ASSIGNED.format(name=wanted.name, signature=signature))]
    if isinstance(found, ast.ClassDef):
        if wanted.kind != "class":
            text = words.WANTS_FUNCTION.format(name=wanted.name, signature=signature)
            return [Finding(line, text)]
        return _check_class(found, scopes, wanted)
    if wanted.kind == "class":
        return [Finding(line, words.WANTS_CLASS.format(name=wanted.name, signature=signature))]
    return _check_function(found, wanted.name, wanted.parameters, signature)


def _check_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    name: str,
    parameters: tuple[str, ...],
    signature: str,
) -> list[Finding]:
    if isinstance(node, ast.AsyncFunctionDef):
        return [Finding(node.lineno, words.ASYNC.format(name=name, signature=signature))]
    findings = _check_parameters(node.args, node.lineno, name, parameters, signature)
    if has_yield(node):
        findings.append(Finding(node.lineno, words.GENERATOR.format(name=name)))
    return findings


def _check_parameters(
    args: ast.arguments, line: int, name: str, parameters: tuple[str, ...], signature: str
) -> list[Finding]:
    given = [parameter.arg for parameter in [*args.posonlyargs, *args.args]]
    if given[: len(parameters)] != list(parameters):
        return [Finding(line, _why_not(args, given, name, parameters, signature))]
    required = [p.arg for p, default in defaults(args) if default is None]
    more = [parameter for parameter in required if parameter not in parameters]
    return [
        Finding(line, words.MORE_PARAMETERS.format(name=name, parameter=parameter))
        for parameter in more
    ]


def _why_not(
    args: ast.arguments,
    given: list[str],
    name: str,
    parameters: tuple[str, ...],
    signature: str,
) -> str:
    missing = [parameter for parameter in parameters if parameter not in given]
    keywords = {parameter.arg for parameter in args.kwonlyargs}
    if missing and missing[0] in keywords:
        return words.KEYWORD_ONLY.format(name=name, parameter=missing[0], signature=signature)
    starred = args.vararg or args.kwarg
    if missing and starred is not None and given == list(parameters[: len(given)]):
        text = ("*" if args.vararg else "**") + starred.arg
        listed = ", ".join(f"`{parameter}`" for parameter in missing)
        return words.TAKES_STARRED.format(
            name=name, starred=text, missing=listed, signature=signature
        )
    shown = ", ".join(given) or words.NOTHING
    return words.WRONG_PARAMETERS.format(name=name, given=shown, signature=signature)


def _check_class(node: ast.ClassDef, scopes: Scopes, wanted: Wanted) -> list[Finding]:
    findings = []
    if wanted.base and wanted.base not in scopes.ancestors(node):
        text = words.WRONG_BASE.format(name=wanted.name, base=wanted.base)
        findings.append(Finding(node.lineno, text))
    methods = dict(wanted.methods)
    if wanted.parameters:
        methods.setdefault("__init__", wanted.parameters)
    for method, parameters in methods.items():
        findings += _check_method(node, scopes, wanted.name, method, parameters)
    return findings


def _check_method(
    node: ast.ClassDef, scopes: Scopes, name: str, method: str, parameters: tuple[str, ...]
) -> list[Finding]:
    found = _find_method(node, scopes, method)
    signature = f"def {method}({', '.join(('self', *parameters))}):"
    if found is None:
        text = words.NO_METHOD.format(name=name, method=method, signature=signature)
        return [Finding(node.lineno, text)]
    if not isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    own = [parameter.arg for parameter in [*found.args.posonlyargs, *found.args.args]]
    # `forward(self, *inputs)` takes whatever the module takes.
    if not own or (found.args.vararg is not None and len(own) == 1):
        return []
    own_self = own[0]
    return _check_parameters(
        found.args, found.lineno, f"{name}.{method}", (own_self, *parameters), signature
    )


def _find_method(node: ast.ClassDef, scopes: Scopes, method: str) -> ast.AST | None:
    todo, seen = [node], set()
    while todo:
        here = todo.pop(0)
        seen.add(here)
        bindings = scopes.inner[here].bindings.get(method)
        if bindings:
            return bindings[-1].node
        for base in here.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            todo += [
                meaning
                for meaning in scopes.meaning(named)
                if isinstance(meaning, ast.ClassDef) and meaning not in seen
            ]
    return None


def definitions(statements: list[ast.stmt]) -> Iterator[tuple[str, Defined]]:
    """Names bound by `def`, `class` or `=` at the top level, or under if, try, with or a loop."""
    for node in statements:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        yield name.id, node
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name) and node.value is not None:
                yield node.target.id, node
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                for child in getattr(node, part, []):
                    inner = child.body if isinstance(child, ast.ExceptHandler) else [child]
                    yield from definitions(inner)


def last_definition(tree: ast.Module, name: str) -> Defined | None:
    found = None
    for defined, node in definitions(tree.body):
        if defined == name:
            found = node
    return found


def _inside(tree: ast.Module, name: str) -> tuple[str, ast.stmt] | None:
    """A definition hidden in another function or class, with the name of that."""
    for outer in ast.walk(tree):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for defined, node in definitions(outer.body):
                if defined == name and not isinstance(node, (ast.Assign, ast.AnnAssign)):
                    return outer.name, node
    return None

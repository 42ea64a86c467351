"""The reading of an answer that is too winding to be followed call by call.

A tangled answer may still be right, so it isn't refused for that. What it does is left to the
recorder that watches the run; here whatever stands in the source counts as done, and what the
recorder could not see is refused in whatever form.
"""

from __future__ import annotations

import ast

from ringlab.grading import allowed
from ringlab.grading.calls import THREADED
from ringlab.grading.finding import Finding
from ringlab.grading.names import UNKNOWN, Meaning, Scopes
from ringlab.words import source as words


def mentions(tree: ast.Module, scopes: Scopes) -> dict[str, ast.AST]:
    """Full names from outside that the source names anywhere, run or not; the first place of each.

    A method that groups alone have counts on any value, and so does a text that spells it.
    """
    found: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        for path in _paths(node, scopes):
            found.setdefault(path, node)
    return found


def _paths(node: ast.AST, scopes: Scopes) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [allowed.canonical(f"{node.module}.{alias.name}") for alias in node.names]
    if isinstance(node, ast.Constant):
        return _of_group(node.value)
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
        return []
    known = [path for path in scopes.meaning(node) if isinstance(path, str) and path != UNKNOWN]
    if isinstance(node, ast.Attribute) and not _is_known(scopes.meaning(node.value)):
        known += _of_group(node.attr)
    return known


def _is_known(meanings: set[Meaning]) -> bool:
    return bool(meanings) and all(isinstance(m, str) and m != UNKNOWN for m in meanings)


def _of_group(name: object) -> list[str]:
    known = isinstance(name, str) and name in allowed.GROUP_ONLY_METHODS
    return [f"torch.distributed.ProcessGroup.{name}"] if known else []


def check_unseen(tree: ast.Module, scopes: Scopes) -> list[Finding]:
    """Callbacks, which run where nobody watches, and attributes set on what may be torch's."""
    findings = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", None)
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
        if isinstance(name, str) and name in THREADED:
            findings.append(Finding(line, words.TANGLED_CALLBACK.format(method=name)))
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if not _is_own(node.value, scopes):
                findings.append(Finding(line, words.TANGLED_STORE.format(text=ast.unparse(node))))
        elif isinstance(node, ast.Name) and scopes.meaning(node) & _SETTERS:
            findings.append(Finding(line, words.TANGLED_STORE.format(text=node.id)))
    return findings


_SETTERS = {"builtins.setattr", "builtins.delattr"}


def _is_own(owner: ast.expr, scopes: Scopes) -> bool:
    """Whether this is an object rather than a class of torch: `self`, or what a call has made."""
    if not isinstance(owner, ast.Name):
        return False
    home = scopes.home(owner)
    if home is not None and home.parent is not None and home.parent.kind == "class":
        args = getattr(home.node, "args", None)
        first = [*args.posonlyargs, *args.args][:1] if args is not None else []
        if first and first[0].arg == owner.id:
            return True
    made = [
        binding.value
        for binding in scopes.bindings(owner)
        if binding.kind == "assign" and isinstance(binding.value, ast.Call)
    ]
    return len(made) == len(scopes.bindings(owner)) > 0 and all(
        isinstance(meaning, ast.ClassDef) for call in made for meaning in scopes.meaning(call.func)
    )

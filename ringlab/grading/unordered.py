"""Communication in an order that a set gives, which is another one in another process.

A dtype has no value to be hashed by: its place in a set comes from its address, and a text's from
a number drawn anew by each Python. Ranks that were forked from one process share both, so no run
here would show it.
"""

from __future__ import annotations

import ast

from ringlab.grading.finding import Finding
from ringlab.words import source as words

_COMMUNICATES = ("send", "recv", "reduce", "broadcast", "gather", "scatter", "all_to_all")
_Loop = ast.For | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def communicates_in_set_order(tree: ast.Module) -> list[Finding]:
    """A finding for each loop over a set of dtypes in which something is sent."""
    sets = _names_of_sets(tree)
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, _Loop):
            continue
        ways = [node.iter] if isinstance(node, ast.For) else [g.iter for g in node.generators]
        if any(_is_set_of_dtypes(way, sets) for way in ways) and _communicates(node):
            found.append(Finding(node.lineno, words.ORDER_OF_A_SET))
    return found


def _names_of_sets(tree: ast.Module) -> set[str]:
    """Names that are bound to nothing but sets of dtypes."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            values.setdefault(node.target.id, []).append(node.value)
    return {n for n, each in values.items() if all(_is_set_of_dtypes(v, set()) for v in each)}


def _is_set_of_dtypes(value: ast.expr, sets: set[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in sets
    is_set = isinstance(value, ast.Set | ast.SetComp)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        is_set = value.func.id in ("set", "frozenset")
        if value.func.id in ("list", "tuple", "enumerate", "reversed") and value.args:
            return _is_set_of_dtypes(value.args[0], sets)
    return is_set and any(
        isinstance(node, ast.Attribute) and node.attr == "dtype" for node in ast.walk(value)
    )


def _communicates(loop: ast.AST) -> bool:
    """Whether a call in it, or in a call's own name, looks like communication."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if any(each in name for each in _COMMUNICATES):
                return True
    return False

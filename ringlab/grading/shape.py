"""What is plain to see in an answer that can be parsed, for words of feedback; never a verdict."""

from __future__ import annotations

import ast


def unwritten_line(source: str, name: str) -> int | None:
    """The line on which the function still raises NotImplementedError, whatever else it does."""
    function = _function(source, name)
    for statement in function.body if function else ():
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            if isinstance(raised, ast.Name) and raised.id == "NotImplementedError":
                return statement.lineno
    return None


def rebound_parameter(source: str, name: str, place: int) -> tuple[str, int] | None:
    """The parameter at that place and the first line that binds its name to something else."""
    function = _function(source, name)
    parameters = [each.arg for each in function.args.args] if function else []
    if function is None or place >= len(parameters):
        return None
    wanted = parameters[place]
    lines = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == wanted and isinstance(node.ctx, ast.Store)
    ]
    in_place = [
        node.target.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    ]
    lines = sorted(set(lines) - set(in_place))
    return (wanted, lines[0]) if lines else None


def _function(source: str, name: str) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[-1] if found else None

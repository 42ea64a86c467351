"""Mutants of the reference answers, made by cosmic-ray; the judge must refuse what is no equal.

Run as a program, with cosmic-ray importable: prints a JSON list of mutated sources of one answer.
"""

from __future__ import annotations

import ast
import difflib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

# One or two ways to replace an operator are as good as ten.
OPERATORS = (
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_Add")),
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in ("Div_Mul", "FloorDiv_Mod", "Mod_FloorDiv")),
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in ("LShift_Add", "RShift_Sub", "BitXor_Add")),
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in ("Eq_NotEq", "NotEq_Eq", "Lt_LtE")),
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in ("LtE_Lt", "Gt_GtE", "GtE_Gt")),
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in ("Lt_GtE", "Gt_LtE", "Is_IsNot")),
    "core/ReplaceUnaryOperator_USub_UAdd",
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/NumberReplacer",
    "core/AddNot",
    "core/ZeroIterationForLoop",
)


def mutants(source: str) -> Iterator[str]:
    """Every mutant once, but for those that only change what an error says."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    seen = {_meaning(source)}
    for name in OPERATORS:
        occurrence = 0
        while mutated := mutate_code(source, get_operator(name)(), occurrence):
            occurrence += 1
            meaning = _meaning(mutated)
            if meaning not in seen:
                seen.add(meaning)
                yield mutated


class _WithoutMessages(ast.NodeTransformer):
    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        if isinstance(node.exc, ast.Call):
            node.exc.args = []
        return node


def _meaning(source: str) -> str:
    return ast.dump(_WithoutMessages().visit(ast.parse(source)))


def change(source: str, mutated: str) -> str:
    """The lines that differ, old and new: how a mutant is named."""
    lines = difflib.ndiff(source.splitlines(), mutated.splitlines())
    return "  ->  ".join(line[2:].strip() for line in lines if line[0] in "-+")


if __name__ == "__main__":
    print(json.dumps(list(mutants(Path(sys.argv[1]).read_text()))))

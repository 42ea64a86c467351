"""Lesson 12: which collectives a source really calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringlab.catalog.exercise import Exercise
from ringlab.words import autograder as words

if TYPE_CHECKING:
    from ringlab.grading.cases import Case, CaseResult, Problem
    from ringlab.grading.programs import Program
    from ringlab.grading.source import SourceRules

TASK = """\
Read a program with Python's `ast`, without running it, and say which communication functions of
`torch.distributed` it really calls, by their full names. The docstring says what counts. Three
things make a name-only search wrong:

* one function has **many names**: `import ... as`, `from ... import`, a variable, `getattr`,
  `partial`;
* **code that never runs** calls nothing: after `return`, under `if False`, in a function that
  nobody calls;
* **others have the same name**: a parameter, a class, a mock, a method of any object.
"""

HINTS = (
    "`print(ast.dump(ast.parse(source), indent=2))` shows what you are walking through. `ast.walk` "
    "gives the nodes in no useful order; write a function that goes through statements one after "
    "the other and calls itself for the blocks inside.",
    "Keep a dict for each scope from names to what they stand for: a dotted path, a function of "
    "the source, or something unknown. An import and an assignment put something into the "
    "innermost dict; a name is looked up from the innermost outwards; a parameter is unknown.",
    'An attribute of the path `"torch.distributed"` is the path `"torch.distributed.send"`. An '
    "attribute of anything unknown is unknown. So `x.send` is no call of torch's, whatever x is.",
    "Don't go into a function where it is defined. Note its node and the dicts around it; go in "
    "when it is called, and at the end into everything that the top level defines.",
)


def rules() -> SourceRules:
    """Plain Python; `ast` is there. What walks trees by itself is a labyrinth to follow."""
    from ringlab.grading.source import SourceRules

    return SourceRules(
        name="called_collectives",
        kind="function",
        parameters=("source",),
        follows=False,
    )


def cases(world_size: int, generator: Any) -> list[Case]:
    """A case for each group of programs."""
    from ringlab.grading.cases import Case
    from ringlab.grading.programs import draw_programs

    groups: dict[str, list[Program]] = {}
    for program in draw_programs(generator):
        groups.setdefault(program.group, []).append(program)

    def case(group: str, programs: list[Program]) -> Case:
        def judge(case: Case, results: list[CaseResult]) -> Problem | None:
            return _first_wrong(programs, results)

        calls: list[tuple[Any, ...]] = [(program.source,) for program in programs]
        return Case(group, group, 1, [], judge, None, calls=calls)

    return [case(*each) for each in groups.items()]


def _first_wrong(programs: list[Program], results: list[CaseResult]) -> Problem | None:
    from ringlab.grading.cases import Problem
    from ringlab.grading.judge import shown

    for program, result in zip(programs, results, strict=True):
        got = result.returned
        if type(got) is not frozenset or any(type(name) is not str for name in got):
            return Problem(words.NOT_A_SET.format(what=program.what, got=shown(got)))
        if got != program.called:
            message = words.PROGRAM_WRONG.format(
                what=program.what,
                got=_listed(got),
                wanted=_listed(program.called),
                source=_indented(program.source),
            )
            return Problem(message)
    return None


def _listed(names: frozenset[str]) -> str:
    from ringlab.plain import plain

    return plain(", ".join(sorted(names)), 300) if names else words.NO_NAMES


def _indented(source: str) -> str:
    """The program with its indentation in spaces that no page takes away."""
    lines = []
    for line in source.rstrip("\n").split("\n"):
        text = line.lstrip(" ")
        lines.append("\u00a0" * (4 + len(line) - len(text)) + text)
    return "\n".join(lines)


EXERCISE = Exercise(
    id="called_collectives",
    lesson=12,
    points=10,
    title="Which collectives a program calls",
    task=TASK,
    hints=HINTS,
    rules=rules,
    worlds=(1,),
    cases=cases,
    ranks=False,
)

"""Small programs of which it is known what they call, with names drawn anew each time.

In a template, {one} and {two} are functions of torch.distributed, {dist} the module's name in the
program, {main}, {other}, {x}, {f}, {g}, {c} names of its own. `calls` says which of one and two are
really called.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import torch

from ringlab.grading.cases import pick
from ringlab.words import autograder as words

PREFIX = "torch.distributed."
# Those that one tensor or two will do for, in a program that reads as if it could be run.
FUNCTIONS = (
    *("all_reduce", "all_gather", "broadcast", "reduce", "scatter", "gather", "reduce_scatter"),
    *("all_to_all", "send", "recv", "isend", "irecv", "barrier", "all_gather_single"),
    *("all_to_all_single", "reduce_scatter_single", "all_gather_into_tensor"),
)
NAMES = ("main", "other", "x", "f", "g", "c", "dist")


@dataclass(frozen=True)
class Program:
    """A program's text, what is special about it, and the full names that it calls."""

    group: str
    what: str
    source: str
    called: frozenset[str]


def draw_programs(generator: torch.Generator) -> list[Program]:
    """Every template once, with functions and names drawn from `generator`."""
    return [_draw(generator, *template) for template in _TEMPLATES]


def _draw(
    generator: torch.Generator, group: str, what: str, template: str, calls: tuple[str, ...]
) -> Program:
    names = {name: _word(generator, i) for i, name in enumerate(NAMES)}
    chosen = torch.randperm(len(FUNCTIONS), generator=generator)[:2]
    names |= {each: FUNCTIONS[int(i)] for each, i in zip(("one", "two"), chosen, strict=True)}
    source = textwrap.dedent(template).strip("\n").format(**names) + "\n"
    called = frozenset(PREFIX + names[each] for each in calls)
    return Program(group, what.format(**names), source, called)


def _word(generator: torch.Generator, number: int) -> str:
    letters = "".join(chr(pick(generator, ord("a"), ord("z"))) for _ in range(3))
    # Two names of one program differ by their number.
    return f"{letters}{number}"


def _in_main(body: str, before: str = "", after: str = "") -> str:
    head = f"import torch.distributed as {{dist}}\n{textwrap.dedent(before).strip()}"
    inside = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    tail = textwrap.dedent(after).strip("\n")
    return f"{head.strip()}\n\n\ndef {{main}}({{x}}):\n{inside}\n\n\n{tail}".rstrip("\n")


def _template(
    group: str, what: str, template: str, *calls: str
) -> tuple[str, str, str, tuple[str, ...]]:
    return group, what, template, calls


_TEMPLATES = [
    # Imports
    _template(words.OF_IMPORTS, words.PLAIN, _in_main("{dist}.{one}({x})"), "one"),
    _template(
        words.OF_IMPORTS,
        words.FULL_PATH,
        """
        import torch.distributed

        def {main}({x}):
            torch.distributed.{one}({x})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.FROM_TORCH,
        """
        from torch import distributed

        def {main}({x}):
            if {x} is not None:
                distributed.{one}({x})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.FROM_TORCH_AS,
        """
        import torch
        from torch import distributed as {dist}

        def {main}({x}):
            for {f} in range(3):
                {dist}.{one}({x} + {f})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.BARE_NAME,
        """
        from torch.distributed import {one}

        def {main}({x}):
            return {one}({x})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.OTHER_NAME,
        """
        from torch.distributed import {one} as {f}, {two} as {g}

        def {main}({x}):
            {f}({x})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.SWAPPED_NAMES,
        """
        from torch.distributed import {one} as {two}

        def {main}({x}):
            {two}({x})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.IMPORT_INSIDE,
        """
        def {main}({x}):
            import torch.distributed as {dist}

            {dist}.{one}({x})
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.IMPORT_BELOW,
        """
        def {main}({x}):
            {dist}.{one}({x})

        import torch.distributed as {dist}
        """,
        "one",
    ),
    _template(
        words.OF_IMPORTS,
        words.TWO_MODULES,
        """
        import torch.distributed as {dist}
        import horovod.torch as {g}

        def {main}({x}):
            {g}.{two}({x})
            {dist}.{one}({x})
        """,
        "one",
    ),
    # Bindings
    _template(words.OF_BINDINGS, words.LOCAL_NAME, _in_main("{f} = {dist}.{one}\n{f}({x})"), "one"),
    _template(
        words.OF_BINDINGS,
        words.GLOBAL_NAME,
        _in_main("{f}({x})", before="{f} = {dist}.{one}\n{g} = {dist}.{two}"),
        "one",
    ),
    _template(
        words.OF_BINDINGS,
        words.CHAIN_OF_NAMES,
        _in_main("{f} = {c}.{one}\n{g} = {f}\n{g}({x})", before="{c} = {dist}"),
        "one",
    ),
    _template(
        words.OF_BINDINGS,
        words.BOUND_ANEW,
        _in_main("{f} = {dist}.{two}\n{f} = {dist}.{one}\n{f}({x})"),
        "one",
    ),
    _template(
        words.OF_BINDINGS, words.BY_GETATTR, _in_main("getattr({dist}, '{one}')({x})"), "one"
    ),
    _template(
        words.OF_BINDINGS,
        words.GETATTR_BOUND,
        _in_main("{f} = getattr({dist}, '{one}', None)\n{f}({x})"),
        "one",
    ),
    _template(
        words.OF_BINDINGS,
        words.BY_PARTIAL,
        _in_main(
            "partial({dist}.{one}, async_op=False)({x})", before="from functools import partial"
        ),
        "one",
    ),
    _template(
        words.OF_BINDINGS,
        words.PARTIAL_BOUND,
        _in_main("{f} = functools.partial({dist}.{one}, {x})\n{f}()", before="import functools"),
        "one",
    ),
    _template(
        words.OF_BINDINGS,
        words.PARTIAL_ONLY,
        _in_main(
            "{f} = functools.partial({dist}.{two}, {x})\n{dist}.{one}({x})",
            before="import functools",
        ),
        "one",
    ),
    # Functions
    _template(
        words.OF_FUNCTIONS,
        words.BY_HELPER,
        _in_main("{other}({x})", after="def {other}({f}):\n    {dist}.{one}({f})"),
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.TWO_FUNCTIONS,
        _in_main("{dist}.{one}({x})", after="def {other}({f}):\n    {dist}.{two}({f})"),
        "one",
        "two",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.NESTED_CALLED,
        _in_main("def {f}({g}):\n    {dist}.{one}({g})\n\n{f}({x})"),
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.NESTED_NEVER,
        _in_main("def {f}({g}):\n    {dist}.{two}({g})\n\n{dist}.{one}({x})"),
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.LAMBDA_CALLED,
        _in_main("{f} = lambda {g}: {dist}.{one}({g})\n{f}({x})"),
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.LAMBDA_NEVER,
        _in_main("{f} = lambda: {dist}.{one}({x})\nreturn {x}"),
    ),
    _template(
        words.OF_FUNCTIONS,
        words.STATIC_METHOD,
        _in_main(
            "{c}.{f}({x})",
            after="class {c}:\n    @staticmethod\n    def {f}({g}):\n        {dist}.{one}({g})",
        ),
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.DEFINED_TWICE,
        _in_main("{dist}.{two}({x})", after="def {main}({x}):\n    {dist}.{one}({x})"),
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.UNDER_IF_TRUE,
        """
        import torch.distributed as {dist}

        if True:
            def {main}({x}):
                {dist}.{one}({x})
        else:
            def {main}({x}):
                {dist}.{two}({x})
        """,
        "one",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.IN_BLOCKS,
        _in_main(
            "with {other}():\n    try:\n        {dist}.{one}({x})\n    finally:\n"
            "        {f} = [{dist}.{two}({g}) for {g} in {x}]"
        ),
        "one",
        "two",
    ),
    _template(
        words.OF_FUNCTIONS,
        words.IN_ARGUMENTS,
        _in_main("print(len({dist}.{one}({x})), end={dist}.{two}({x}))"),
        "one",
        "two",
    ),
    # Dead code
    _template(
        words.OF_DEAD_CODE,
        words.IF_FALSE,
        _in_main("if False:\n    {dist}.{two}({x})\n{dist}.{one}({x})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE, words.IF_ZERO, _in_main("if 0:\n    {dist}.{one}({x})\nreturn {x}")
    ),
    _template(
        words.OF_DEAD_CODE,
        words.ELSE_OF_TRUE,
        _in_main("if True:\n    {dist}.{one}({x})\nelse:\n    {dist}.{two}({x})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE,
        words.IF_NOT_TRUE,
        _in_main("if not True:\n    {dist}.{two}({x})\nelse:\n    {dist}.{one}({x})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE,
        words.WHILE_FALSE,
        _in_main("{dist}.{one}({x})\nwhile False:\n    {dist}.{two}({x})"),
        "one",
    ),
    _template(words.OF_DEAD_CODE, words.AFTER_RETURN, _in_main("return {x}\n{dist}.{one}({x})")),
    _template(
        words.OF_DEAD_CODE,
        words.AFTER_RAISE,
        _in_main("{dist}.{one}({x})\nraise ValueError({x})\n{dist}.{two}({x})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE,
        words.AFTER_CONTINUE,
        _in_main("for {f} in {x}:\n    {dist}.{one}({f})\n    continue\n    {dist}.{two}({f})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE,
        words.RETURN_IN_ONE_WAY,
        _in_main("if {x} is None:\n    return\n{dist}.{one}({x})"),
        "one",
    ),
    _template(words.OF_DEAD_CODE, words.ZERO_AND, _in_main("0 and {dist}.{one}({x})")),
    _template(
        words.OF_DEAD_CODE,
        words.TRUE_OR,
        _in_main("True or {dist}.{two}({x})\n{x} or {dist}.{one}({x})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE,
        words.CONDITIONAL,
        _in_main("{dist}.{one}({x}) if True else {dist}.{two}({x})"),
        "one",
    ),
    _template(
        words.OF_DEAD_CODE,
        words.EMPTY_LOOP,
        _in_main("for {f} in []:\n    {dist}.{one}({x})\nfor {g} in ():\n    {dist}.{two}({x})"),
    ),
    _template(
        words.OF_DEAD_CODE,
        words.ANNOTATION,
        _in_main("{f}: {dist}.{one}({x}) = None\n{g}: {dist}.{two}({x})\nreturn {f}"),
    ),
    _template(
        words.OF_DEAD_CODE, words.ONLY_NAMED, _in_main("{f} = {dist}.{one}\nprint({dist}.{two})")
    ),
    _template(
        words.OF_DEAD_CODE,
        words.IN_TEXT,
        _in_main("'''Calls {dist}.{one}({x}).'''\nreturn '{dist}.{two}({x})'  # {dist}.{one}({x})"),
    ),
    # Shadows
    _template(
        words.OF_SHADOWS,
        words.SAME_CLASS,
        """
        import torch.distributed as {g}

        class {dist}:
            {one} = staticmethod(lambda {x}: None)

        def {main}({x}):
            {dist}.{one}({x})
            {g}.{two}({x})
        """,
        "two",
    ),
    _template(
        words.OF_SHADOWS,
        words.MOCK,
        """
        import torch.distributed as {dist}
        from unittest.mock import MagicMock

        {dist} = MagicMock()

        def {main}({x}):
            {dist}.{one}({x})
        """,
    ),
    _template(
        words.OF_SHADOWS,
        words.REPLACED,
        """
        import torch.distributed as {dist}

        {dist}.{one} = lambda {x}: None

        def {main}({x}):
            {dist}.{one}({x})
            {dist}.{two}({x})
        """,
        "two",
    ),
    _template(
        words.OF_SHADOWS,
        words.PARAMETER,
        """
        import torch.distributed as {dist}

        def {main}({x}, {dist}):
            {dist}.{one}({x})
        """,
    ),
    _template(
        words.OF_SHADOWS,
        words.NAME_AS_PARAMETER,
        """
        from torch.distributed import {one}, {two}

        def {main}({x}, {two}=None):
            {two}({x})
            {one}({x})
        """,
        "one",
    ),
    _template(
        words.OF_SHADOWS,
        words.LOCAL_OF_THAT_NAME,
        _in_main("{dist} = {x}\n{dist}.{one}({x})"),
    ),
    _template(
        words.OF_SHADOWS,
        words.OWN_FUNCTION,
        """
        from torch.distributed import {one}, {two}

        def {one}({x}):
            {two}({x})

        def {main}({x}):
            {one}({x})
        """,
        "two",
    ),
    _template(
        words.OF_SHADOWS,
        words.ATTRIBUTE_OF_OTHERS,
        _in_main("{x}.{one}({x})\n{x}.{f}.{two}({x})\nself.{dist}.{one}({x})"),
    ),
    _template(
        words.OF_SHADOWS,
        words.ONLY_ELSEWHERE_LOCAL,
        """
        import torch.distributed as {dist}

        def {other}({x}):
            {dist} = {x}
            {dist}.{two}({x})

        def {main}({x}):
            {dist}.{one}({x})
        """,
        "one",
    ),
    # What counts
    _template(
        words.OF_KINDS,
        words.NO_COMMUNICATION,
        _in_main(
            "{f} = {dist}.get_rank() + {dist}.get_world_size()\n"
            "if {dist}.is_initialized():\n    {dist}.{one}({x}, op={dist}.ReduceOp.SUM)\n"
            "{dist}.destroy_process_group()"
        ),
        "one",
    ),
    _template(
        words.OF_KINDS,
        words.UNKNOWN_CONDITION,
        _in_main("if {dist}.get_rank() < 0:\n    {dist}.{one}({x})\nelse:\n    {dist}.{two}({x})"),
        "one",
        "two",
    ),
    _template(
        words.OF_KINDS,
        words.SWALLOWED,
        _in_main("try:\n    {dist}.{one}('no tensor')\nexcept Exception:\n    pass"),
        "one",
    ),
    _template(
        words.OF_KINDS,
        words.TWICE,
        _in_main("{dist}.{one}({x})\n{dist}.{one}({x})\n{dist}.{two}({x})"),
        "one",
        "two",
    ),
    _template(words.OF_KINDS, words.NOTHING_CALLED, "def {main}({x}):\n    return {x}.sum()"),
    _template(words.OF_KINDS, words.EMPTY_PROGRAM, "# {main}"),
]

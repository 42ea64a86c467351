"""The first layer of a verdict: an answer's source, read and never run.

`judge_source` says what is wrong with it, each with its line and what to do. In this order, and
only as far as it makes sense to go on: the code can be parsed; the function or class is there with
its signature; imports and names keep to the policy; nothing is taken from other cells; the calls
that the exercise requires or forbids. Nothing here imports torch.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

from ringlab.grading.allowed import (
    ALL_COMMUNICATION,
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    COLLECTIVES,
    GROUPS,
    OBJECTS,
    P2P,
    REDUCE_SCATTER,
)
from ringlab.grading.calls import Reached
from ringlab.grading.coarse import check_unseen, mentions
from ringlab.grading.finding import Finding
from ringlab.grading.names import Budget, Scopes, TooTangled
from ringlab.grading.policy import DEFAULT_POLICY, Policy, check_policy, undefined_names
from ringlab.grading.reach import reach
from ringlab.grading.signature import Wanted, check_signature
from ringlab.grading.unordered import communicates_in_set_order
from ringlab.words import source as words

MAX_CHARACTERS = 200_000
MAX_NODES = 30_000
MAX_NESTING = 120

# The forms of a collective, which people know by one name.
FORMS = {
    "all_reduce": ALL_REDUCE,
    "reduce_scatter": REDUCE_SCATTER,
    "all_gather": ALL_GATHER,
    "all_to_all": ALL_TO_ALL,
}

# Every group must be met, by any of its names.
Requirement = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class SourceRules:
    """What an exercise asks of the source.

    name: of the function or class. kind: "function" or "class".
    parameters: names that the function, or the class when it is made, must take, in order.
    methods: of a class, each with its parameters after `self`.
    base: full name of the class that a class must derive from, such as "torch.nn.Module".
    allowed_communication: full names such as "torch.distributed.send"; None for any.
    required_communication: alternatives, one of which must be met; each is a tuple of groups, and
        of each group one name must be called.
    forbids: full names that must not be used; what lies below a name counts too.
    policy: what may be imported beyond what every answer may.
    follows: whether what it calls is followed from the entry on; where that says nothing, since no
        use of torch is asked for or forbidden, it can be left out.
    is_program: it runs as a program in a process of its own, and may import and do what it likes,
        but for using the course's own library.
    """

    name: str
    kind: str = "function"
    parameters: tuple[str, ...] = ()
    methods: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None
    allowed_communication: frozenset[str] | None = None
    required_communication: tuple[Requirement, ...] = ()
    forbids: frozenset[str] = frozenset()
    policy: Policy = field(default=DEFAULT_POLICY)
    follows: bool = True
    is_program: bool = False

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.name, self.kind, self.parameters, self.methods, self.base)


class Unparsable(Exception):
    """The source can't be parsed; carries the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def judge_source(source: str, rules: SourceRules) -> list[Finding]:
    """What is wrong with an answer's source, in the order of lines. Empty when it is accepted.

    `source` is the whole cell that defines the answer, line magics already blanked. It is parsed,
    not run, whatever it contains.
    """
    try:
        if not source.strip():
            return [Finding(None, words.EMPTY.format(signature=rules.wanted.signature()))]
        return _judge(parse(source), rules)
    except Unparsable as error:
        return [error.finding]
    except TooTangled:
        return [Finding(None, words.TOO_TANGLED)]
    except (RecursionError, MemoryError):
        return [Finding(None, words.TOO_DEEP)]


def _judge(tree: ast.Module, rules: SourceRules) -> list[Finding]:
    scopes = Scopes(tree, Budget())
    signature = check_signature(tree, scopes, rules.wanted)
    if rules.is_program:
        return _in_order(signature + _uses_course(tree))
    findings = signature + check_policy(tree, scopes, rules.policy)
    findings += communicates_in_set_order(tree)
    if not rules.follows:
        return _in_order(findings)
    try:
        reached = reach(tree, scopes, rules.name)
    except (TooTangled, RecursionError):
        return _in_order(findings + _read_coarsely(tree, scopes, rules))
    findings += undefined_names(scopes, reached.ran)
    if not findings:
        findings = _check_reached(reached, rules.policy)
    findings += _check_use(reached, rules)
    if not findings:
        findings = _check_required(tree, scopes, reached, rules)
    return _in_order(findings)


def _uses_course(tree: ast.Module) -> list[Finding]:
    """Where a program imports this library, whose judge it is asked to build."""
    findings = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] == "ringlab" for name in names):
            findings.append(Finding(node.lineno, words.IMPORT_RINGLAB))
    return findings


def _read_coarsely(tree: ast.Module, scopes: Scopes, rules: SourceRules) -> list[Finding]:
    """An answer that can't be followed call by call: what it names counts as used."""
    named = Reached(used=mentions(tree, scopes))
    findings = check_unseen(tree, scopes)
    return findings + _check_reached(named, rules.policy) + _check_use(named, rules)


def _in_order(findings: list[Finding]) -> list[Finding]:
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda finding: (finding.line is None, finding.line or 0))


def called(source: str, entry: str) -> set[str]:
    """Full names of what the function or class `entry` may really call, dead code left out.

    Names from torch, the standard library and the builtins, resolved through aliases, helpers of
    the same source, local names, constant `getattr` and `functools.partial`. Raises Unparsable
    when the source can't be parsed and TooTangled when it takes too long to follow.
    """
    tree = parse(source)
    return set(reach(tree, Scopes(tree), entry).called)


# Parsing


def parse(source: str) -> ast.Module:
    """The tree of a source that is small and flat enough to be walked. Raises Unparsable."""
    if len(source) > MAX_CHARACTERS:
        _refuse(None, words.TOO_LONG.format(size=len(source), limit=MAX_CHARACTERS))
    if "\0" in source:
        line = source[: source.index("\0")].count("\n") + 1
        _refuse(line, words.NULL_BYTE)
    try:
        source.encode()
    except UnicodeEncodeError as error:
        _refuse(source[: error.start].count("\n") + 1, words.BAD_CHARACTER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
            _check_size(tree)
            # Only the compiler sees a `return` outside a function and its like.
            compile(tree, "<answer>", "exec", dont_inherit=True)
        except SyntaxError as error:
            raise Unparsable(_explain(error, source)) from None
        except (RecursionError, MemoryError, ValueError, OverflowError):
            raise Unparsable(Finding(None, words.TOO_DEEP)) from None
    return tree


def _refuse(line: int | None, message: str) -> None:
    raise Unparsable(Finding(line, message))


def _check_size(tree: ast.Module) -> None:
    """Refuse what the walkers, which are recursive, could not get to the bottom of."""
    count = 0
    level: list[ast.AST] = [tree]
    for _ in range(MAX_NESTING):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        count += len(level)
        if not level:
            break
    if count > MAX_NODES:
        _refuse(None, words.TOO_TANGLED)
    if level:
        _refuse(getattr(level[0], "lineno", None), words.TOO_DEEP)


def _explain(error: SyntaxError, source: str) -> Finding:
    reason = (error.msg or "invalid syntax").split("(<answer>")[0].strip()
    lines = source.splitlines()
    line = error.lineno
    if line is None or not 1 <= line <= len(lines):
        return Finding(line, words.SYNTAX_NO_TEXT.format(reason=reason))
    text = lines[line - 1].strip()[:80]
    return Finding(line, words.SYNTAX.format(line=line, reason=reason, text=text))


# Communication


def _check_reached(reached: Reached, policy: Policy) -> list[Finding]:
    """What the policy, which reads line by line, can't see: values that went through containers."""
    findings = [
        Finding(getattr(node, "lineno", None), words.ASSIGNED_INTO.format(path=path))
        for path, node in reached.patched.items()
    ]
    return findings + [
        Finding(getattr(node, "lineno", None), words.OUT_OF_BOUNDS.format(path=path))
        for path, node in reached.used.items()
        if not policy.may_reach(path)
    ]


def _check_use(reached: Reached, rules: SourceRules) -> list[Finding]:
    findings = []
    permitted = rules.allowed_communication
    for path, node in _plainest(reached.used).items():
        if any(path == name or path.startswith(name + ".") for name in rules.forbids):
            findings.append(_finding(node, path, words.FORBIDDEN))
        elif path in OBJECTS and not rules.policy.may_reach(path):
            continue  # The policy has said what is wrong with it.
        elif permitted is not None and path in ALL_COMMUNICATION - permitted:
            some = permitted & ALL_COMMUNICATION
            template = words.NOT_ALLOWED if some else words.NOT_ALLOWED_NONE
            findings.append(_finding(node, path, template, allowed=listing(some, words.AND)))
    for path, (node, method) in reached.in_callbacks.items():
        if path in ALL_COMMUNICATION:
            findings.append(_finding(node, path, words.IN_CALLBACK, method=method))
    return findings


def _plainest(used: dict[str, ast.AST]) -> dict[str, ast.AST]:
    """Without `torch.distributed` itself in a line that has `torch.distributed.send`."""
    places = {(getattr(node, "lineno", 0), path) for path, node in used.items()}
    return {
        path: node
        for path, node in used.items()
        if not any(
            line == getattr(node, "lineno", 0) and longer.startswith(path + ".")
            for line, longer in places
        )
    }


def _finding(node: ast.AST, path: str, template: str, **values: str) -> Finding:
    """A finding about a function, told by its full name and, where that differs, as written."""
    written: ast.AST = node
    if isinstance(node, ast.Call) and not (
        isinstance(node.func, ast.Name) and node.func.id == "getattr"
    ):
        written = node.func
    text = ast.unparse(written) if isinstance(written, ast.expr) else ""
    spelled = ""
    if text and path.rpartition(".")[2] not in text.split("."):
        spelled = words.SPELLED.format(text=text if len(text) <= 60 else text[:57] + "...")
    line = getattr(node, "lineno", None)
    return Finding(line, template.format(function=path, spelled=spelled, **values))


def _check_required(
    tree: ast.Module, scopes: Scopes, reached: Reached, rules: SourceRules
) -> list[Finding]:
    met = any(
        all(group & reached.called.keys() for group in requirement)
        for requirement in rules.required_communication
    )
    if met or not rules.required_communication:
        return []
    wanted = words.OR_ELSE.join(map(_in_words, rules.required_communication))
    names = frozenset(
        name for requirement in rules.required_communication for g in requirement for name in g
    )
    dead = _dead_mention(tree, scopes, names - reached.called.keys())
    if dead is None:
        hint = words.REQUIRED_HINT.format(entry=rules.name)
    else:
        hint = words.REQUIRED_DEAD.format(line=dead[0], function=dead[1])
    message = words.REQUIRED.format(entry=rules.name, wanted=wanted, dead=hint)
    return [Finding(dead[0] if dead else None, message)]


def _in_words(requirement: Requirement) -> str:
    """`dist.all_reduce`; a reduce_scatter and an all_gather; else every name of every group."""
    known = [name for group in requirement for name, forms in FORMS.items() if group == forms]
    if len(known) == len(requirement) > 1:
        return words.AND.join(words.OF_A_PAIR[name] for name in known)
    return words.AND.join(listing(group, words.OR) for group in requirement)


def _dead_mention(
    tree: ast.Module, scopes: Scopes, names: frozenset[str]
) -> tuple[int, str] | None:
    """Where the source names a function that it never gets to call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for meaning in scopes.meaning(node.func):
                if isinstance(meaning, str) and meaning in names:
                    return node.lineno, meaning
    return None


def short(path: str) -> str:
    """`dist.send` for `torch.distributed.send`, as people write it."""
    return path.replace("torch.distributed.", "dist.", 1)


def listing(names: Iterable[str], word: str) -> str:
    """`dist.irecv`, `dist.isend` and `dist.send`; of the forms of a collective the plainest."""
    left, plain = set(names), []
    for name, forms in FORMS.items():
        if f"torch.distributed.{name}" in left:
            plain.append(f"`dist.{name}`")
            left -= forms
    public = (name for name in left if name.count(".") == 2 and "._" not in name)
    plain += sorted(f"`{short(name)}`" for name in public)
    if len(plain) > 1:
        return ", ".join(plain[:-1]) + word + plain[-1]
    return plain[0] if plain else words.NOTHING


__all__ = [
    "ALL_COMMUNICATION",
    "ALL_GATHER",
    "ALL_REDUCE",
    "ALL_TO_ALL",
    "COLLECTIVES",
    "DEFAULT_POLICY",
    "GROUPS",
    "P2P",
    "REDUCE_SCATTER",
    "Finding",
    "Policy",
    "Requirement",
    "SourceRules",
    "TooTangled",
    "Unparsable",
    "called",
    "judge_source",
    "parse",
]

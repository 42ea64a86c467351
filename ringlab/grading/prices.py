"""What an operation costs, in bytes: the one table that prices every collective.

A collective is priced as a ring in rank order (Thakur, Rabenseifner and Gropp 2005, "Optimization
of collective communication operations in MPICH", section 4; Patarasuk and Yuan 2009), whatever the
backend really does: that is what a rank sends, and what crosses from node to node. Gather, scatter
and all-to-all go directly from source to destination.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from ringlab.trace.records import Operation, RankRecord
from ringlab.words import exercises as words

COALESCED = "_coalesced"
SILENT = frozenset({"recv", "barrier", "monitored_barrier", "new_group"})
# What a rank carries in these, no other rank's record tells.
EACH_FOR_ITSELF = frozenset({"send", "all_to_all"})


def kind(operation: Operation) -> str:
    """The collective, whether it takes one tensor or several at once."""
    return operation.name.removesuffix(COALESCED)


def sent(operation: Operation) -> Fraction:
    """Bytes that leave this rank. Raises KeyError for an operation without a price.

    With G ranks in the group and m bytes that this rank puts in: 2(G-1)/G*m for an all_reduce,
    (G-1)/G*m for a reduce_scatter, (G-1)*m for an all_gather; m for a broadcast or reduce, which
    the last rank of the chain passes on to nobody; m for a gather (its root keeps its own);
    (G-1)/G*m for a scatter's root, whose m bytes are for all, and for an all_to_all, whose parts
    are taken for equal: how they are cut is not recorded.
    """
    name, size, m = kind(operation), len(operation.group), operation.nbytes
    if name in SILENT:
        return Fraction(0)
    if name == "send":
        return Fraction(m)
    at_root = operation.root == operation.rank
    others = Fraction(size - 1, max(size, 1))
    return {
        "all_reduce": 2 * others * m,
        "reduce_scatter": others * m,
        "all_to_all": others * m,
        "all_gather": Fraction((size - 1) * m),
        "broadcast": Fraction(0 if size == 1 or _is_last(operation) else m),
        "reduce": Fraction(0 if at_root else m),
        "gather": Fraction(0 if at_root else m),
        "scatter": others * m if at_root else Fraction(0),
    }[name]


def _is_last(operation: Operation) -> bool:
    """Whether a broadcast that goes round the ring from its root ends at this rank."""
    group = operation.group
    if operation.root not in group or operation.rank not in group:
        return False
    return (group.index(operation.rank) + 1) % len(group) == group.index(operation.root)


def crossing(operation: Operation, ranks_per_node: int) -> Fraction:
    """Bytes that one operation, with all who take part in it, carries from node to node.

    Rank r is on node r // ranks_per_node. With G members on k nodes and m bytes from this rank: k
    links of the ring cross nodes, none if k = 1. Of an all_to_all what this rank alone hands to
    others, in equal parts. Raises KeyError for an operation without a price.
    """
    name, m = kind(operation), operation.nbytes
    if name in SILENT:
        return Fraction(0)
    if name == "send":
        assert operation.peer is not None
        apart = operation.rank // ranks_per_node != operation.peer // ranks_per_node
        return Fraction(m if apart else 0)
    members = [rank // ranks_per_node for rank in operation.group]
    size, nodes = len(members), len(set(members))
    if nodes <= 1:
        return Fraction(0)
    others = Fraction(size - 1, size)
    share = Fraction(m, size)
    root = operation.rank if name == "all_to_all" else operation.root or 0
    away = sum(node != root // ranks_per_node for node in members)
    return {
        "all_reduce": 2 * nodes * others * m,
        "reduce_scatter": nodes * others * m,
        "all_gather": Fraction(nodes * (size - 1) * m),
        "broadcast": Fraction((nodes - 1) * m),
        "reduce": Fraction((nodes - 1) * m),
        "gather": Fraction(away * m),
        "scatter": away * share,
        "all_to_all": away * share,
    }[name]


def once(records: list[RankRecord]) -> Iterator[Operation]:
    """Every send, and of every collective the one record that prices it.

    That is its root's where only the root knows the bytes, else the first member's. Of an
    all_to_all it is every member's: one may put in more than another.
    """
    for record in records:
        for operation in record.operations:
            name = kind(operation)
            if name in SILENT:
                continue
            first = operation.group[0] if operation.group else record.rank
            teller = operation.root if name == "scatter" else first
            if name in EACH_FOR_ITSELF or record.rank == teller:
                yield operation


def collectives(record: RankRecord) -> dict[str, list[Operation]]:
    """A rank's collectives by kind, barriers among them, in the order in which it posts them."""
    found: dict[str, list[Operation]] = defaultdict(list)
    for operation in record.operations:
        if kind(operation) not in ("send", "recv", "new_group"):
            found[kind(operation)].append(operation)
    return found


def called(found: dict[str, list[Operation]]) -> str:
    """Collectives in words: "2 × all_reduce, 1 × barrier"."""
    if not found:
        return words.NOTHING
    return ", ".join(
        words.CALLS.format(count=len(each), name=name) for name, each in sorted(found.items())
    )

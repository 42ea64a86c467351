"""Links, nodes and processors: what the messages of a schedule have to share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ringlab.words import cost as words

Number = int | float | Fraction
"""With integers and fractions every price is exact; one float makes them all floats."""


@dataclass(frozen=True)
class Link:
    """``alpha`` seconds for a message and ``beta`` seconds for each of its bytes.

    Both directions at the same time, each at full speed.
    """

    alpha: Number
    beta: Number

    def __post_init__(self) -> None:
        if self.alpha < 0 or self.beta < 0:
            raise ValueError(words.BAD_LINK.format(alpha=self.alpha, beta=self.beta))

    def seconds(self, nbytes: Number) -> Number:
        """One message, alone on the link."""
        return self.alpha + self.beta * nbytes


class Shape(NamedTuple):
    """The part of a topology that says who shares what, without any speed."""

    ranks_per_node: int
    nics: int
    shared_inside: bool
    cores: int | None


@dataclass(frozen=True)
class Topology:
    """``nodes`` times ``ranks_per_node`` ranks; rank r is on node r // ranks_per_node.

    A rank sends one message after the other, and receives one after the other, over ``inside`` to
    ranks of its node and over ``between`` to others. What crosses also shares its node's network
    cards: place p of a node uses card p * ``nics`` // ``ranks_per_node``, and the messages on one
    card share its bandwidth. With ``shared_inside`` all messages inside a node share one link
    too: a bus, or the memory of one machine.

    A rank's own work follows the messages: ``gamma`` seconds for a byte that it reduces, ``copy``
    for a byte that it sends or receives, ``overhead`` for a message that it sends or receives.
    Ranks work at the same time on up to ``cores`` processors a node; None is one for each rank.

    All of it in seconds, bytes and counts. Raises ValueError for what can't be.
    """

    nodes: int
    ranks_per_node: int
    inside: Link
    between: Link | None = None
    gamma: Number = 0
    copy: Number = 0
    overhead: Number = 0
    nics: int = 1
    shared_inside: bool = False
    cores: int | None = None

    def __post_init__(self) -> None:
        for what in ("nodes", "ranks_per_node", "nics", "cores"):
            value = getattr(self, what)
            if value is not None and value < 1:
                raise ValueError(words.BAD_TOPOLOGY.format(what=what, value=value))
        for what in ("gamma", "copy", "overhead"):
            if getattr(self, what) < 0:
                raise ValueError(words.BAD_TERM.format(what=what, value=getattr(self, what)))
        if self.nodes > 1 and self.between is None:
            raise ValueError(words.NO_LINK_BETWEEN.format(nodes=self.nodes))
        if self.nics > self.ranks_per_node:
            raise ValueError(
                words.TOO_MANY_NICS.format(nics=self.nics, ranks_per_node=self.ranks_per_node)
            )

    @property
    def world_size(self) -> int:
        """The ranks that there is room for."""
        return self.nodes * self.ranks_per_node

    @property
    def shape(self) -> Shape:
        return Shape(self.ranks_per_node, self.nics, self.shared_inside, self.cores)

    def check_room(self, world_size: int) -> None:
        """Raises ValueError if there are more ranks than the topology has room for."""
        if world_size > self.world_size:
            raise ValueError(
                words.TOO_MANY_RANKS.format(world_size=world_size, room=self.world_size)
            )


def flat(world_size: int, link: Link, gamma: Number = 0) -> Topology:
    """Every rank at one end of a link of its own, equally far from all others."""
    return Topology(1, world_size, link, gamma=gamma)

"""Closed forms of the literature: steps, bytes of the busiest rank, seconds.

N ranks, M bytes, alpha seconds a message, beta a byte sent, gamma a byte reduced. P is the largest
power of two up to N, lg its logarithm, and [N > P] is 1 where N is no power of two, else 0.
Every rank has a link of its own; ``hierarchical`` alone has links of two kinds.

Sources: Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in
MPICH" (all but the following; central is plain counting); Patarasuk and Yuan 2009, "Bandwidth
optimal all-reduce algorithms for clusters of workstations" (ring); Sanders, Speck, Traeff 2009,
"Two-tree algorithms for full bandwidth broadcast, reduction and scan" (double binary tree: the
paper bounds its depth D, which is counted from its trees here); Cho et al. 2019, "BlueConnect"
(hierarchical).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from ringlab.algorithms._two_trees import two_trees
from ringlab.cost.topology import Link, Number
from ringlab.words import cost as words


class Form(NamedTuple):
    """``busiest_bytes``: sent by the rank that sends most, over all steps."""

    steps: int
    busiest_bytes: Number
    seconds: Number


def _part(nbytes: Number, parts: int) -> Number:
    return nbytes / parts if isinstance(nbytes, float) else Fraction(nbytes) / parts


def _log2_down(world_size: int) -> int:
    return world_size.bit_length() - 1


def _log2_up(world_size: int) -> int:
    return (world_size - 1).bit_length()


def central(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """2(N-1) steps, 2(N-1)(alpha + M beta) + (N-1) M gamma; the root sends (N-1) M."""
    others = world_size - 1
    seconds = 2 * others * link.seconds(nbytes) + others * gamma * nbytes
    return Form(2 * others, others * nbytes, seconds)


def ring(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """2(N-1) steps, 2(N-1)(alpha + M/N beta) + (N-1) M/N gamma; each sends 2(N-1)/N M."""
    rounds, part = world_size - 1, _part(nbytes, world_size)
    seconds = 2 * rounds * link.seconds(part) + rounds * part * gamma
    return Form(2 * rounds, 2 * rounds * part, seconds)


def tree(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """2 ceil(log2 N) steps, 2 ceil(log2 N)(alpha + M beta) + ceil(log2 N) M gamma.

    The root sends ceil(log2 N) M.
    """
    rounds = _log2_up(world_size)
    seconds = 2 * rounds * link.seconds(nbytes) + rounds * gamma * nbytes
    return Form(2 * rounds, rounds * nbytes, seconds)


def recursive_doubling(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """lg P + 2[N > P] steps.

    lg P (alpha + M beta + M gamma) + [N > P](2 alpha + 2M beta + M gamma).
    The busiest sends (lg P + [N > P]) M.
    """
    rounds, folded = _log2_down(world_size), _is_folded(world_size)
    seconds = (rounds + 2 * folded) * link.seconds(nbytes) + (rounds + folded) * gamma * nbytes
    return Form(rounds + 2 * folded, (rounds + folded) * nbytes, seconds)


def halving_doubling(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """2 lg P + 2[N > P] steps.

    2 lg P alpha + 2(P-1)/P M beta + (P-1)/P M gamma + [N > P](2 alpha + 2M beta + M gamma). The
    busiest sends (2(P-1)/P + [N > P]) M.
    """
    rounds, folded = _log2_down(world_size), _is_folded(world_size)
    active = 1 << rounds
    moved = (active - 1) * _part(nbytes, active)
    seconds = (
        2 * rounds * link.alpha
        + 2 * moved * link.beta
        + moved * gamma
        + folded * (2 * link.seconds(nbytes) + gamma * nbytes)
    )
    return Form(2 * rounds + 2 * folded, 2 * moved + folded * nbytes, seconds)


def _is_folded(world_size: int) -> int:
    return int(world_size & (world_size - 1) != 0)


def double_binary_tree(
    world_size: int, nbytes: Number, link: Link, gamma: Number = 0, blocks: int = 2
) -> Form:
    """2S steps, 2S(alpha + M/2k beta) + S M/2k gamma, with k blocks over each tree.

    S = D + 2(k-1) for N > 2, k for N = 2, 0 for N = 1. D, the steps in which one block is down both
    trees, is what the trees and the colours of their edges give. Sanders, Speck and Traeff bound it
    by two steps a level: D <= 2 floor(log2 N) in trees of floor(log2 N) levels, so a broadcast has
    at most 2 log2 N + 2k steps, and with k large all-reduce takes 2M beta, as a ring does.

    The busiest sends 2M for N > 3: in the reduce M/2 up each tree, in the broadcast M/2 to each of
    two children. 3/2 M for N = 3, M for N = 2.
    """
    trees, block = two_trees(world_size), _part(nbytes, 2 * blocks)
    steps = trees.depth + trees.period * (blocks - 1) if trees.edges else 0
    seconds = 2 * steps * link.seconds(block) + steps * block * gamma
    halves = min(world_size, 4) if world_size > 1 else 0
    return Form(2 * steps, halves * _part(nbytes, 2), seconds)


def hierarchical(
    nodes: int,
    ranks_per_node: int,
    nbytes: Number,
    inside: Link,
    between: Link,
    gamma: Number = 0,
    nics: int = 1,
) -> Form:
    """2(G-1) + 2(K-1) steps for K nodes of G ranks, of which ceil(G / nics) share a network card.

    2(G-1)(alpha_inside + M/G beta_inside) + 2(K-1)(alpha_between + ceil(G/nics) M/GK beta_between)
    + (N-1)/N M gamma; each rank sends 2(N-1)/N M, and 2(K-1) M cross nodes in all.
    """
    near, far = ranks_per_node - 1, nodes - 1
    share = _part(nbytes, ranks_per_node)
    piece = _part(nbytes, ranks_per_node * nodes)
    on_a_card = -(-ranks_per_node // nics)
    seconds = (
        2 * near * inside.seconds(share)
        + 2 * far * between.seconds(on_a_card * piece)
        + (near * share + far * piece) * gamma
    )
    return Form(2 * near + 2 * far, 2 * (near * share + far * piece), seconds)


def broadcast(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """ceil(log2 N) steps, ceil(log2 N)(alpha + M beta), and the root sends as many M."""
    rounds = _log2_up(world_size)
    return Form(rounds, rounds * nbytes, rounds * link.seconds(nbytes))


def reduce(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """ceil(log2 N) steps, ceil(log2 N)(alpha + M beta + M gamma), and everyone else sends M."""
    rounds = _log2_up(world_size)
    seconds = rounds * (link.seconds(nbytes) + gamma * nbytes)
    return Form(rounds, nbytes if rounds else 0, seconds)


def scatter(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """ceil(log2 N) steps, ceil(log2 N) alpha + (N-1)/N M beta; the root sends (N-1)/N M."""
    rounds, moved = _log2_up(world_size), (world_size - 1) * _part(nbytes, world_size)
    return Form(rounds, moved, rounds * link.alpha + moved * link.beta)


def gather(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """As ``scatter``, but the busiest sends once: the largest subtree below the root.

    That has min(2**(c-1), N - 2**(c-1)) pieces for c = ceil(log2 N), or the next one, 2**(c-2).
    """
    rounds, moved = _log2_up(world_size), (world_size - 1) * _part(nbytes, world_size)
    largest = 0
    if rounds:
        half = 1 << (rounds - 1)
        largest = max(world_size - half, half >> 1)
    busiest = largest * _part(nbytes, world_size)
    return Form(rounds, busiest, rounds * link.alpha + moved * link.beta)


def all_gather(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """N-1 steps, (N-1)(alpha + M/N beta), M the bytes of all pieces; each sends (N-1)/N M."""
    rounds, part = world_size - 1, _part(nbytes, world_size)
    return Form(rounds, rounds * part, rounds * link.seconds(part))


def reduce_scatter(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """N-1 steps, (N-1)(alpha + M/N beta + M/N gamma), and each sends (N-1)/N M."""
    rounds, part = world_size - 1, _part(nbytes, world_size)
    return Form(rounds, rounds * part, rounds * (link.seconds(part) + part * gamma))


def all_to_all(world_size: int, nbytes: Number, link: Link, gamma: Number = 0) -> Form:
    """N-1 steps, (N-1)(alpha + M/N**2 beta), M the bytes of all ranks' blocks together.

    With m = M/N, what one rank has for all others and itself, that is (N-1)(alpha + m/N beta).
    """
    rounds, block = world_size - 1, _part(nbytes, world_size**2)
    return Form(rounds, rounds * block, rounds * link.seconds(block))


FORMULAS: dict[str, Callable[..., Form]] = {
    form.__name__: form
    for form in (
        central,
        ring,
        tree,
        recursive_doubling,
        halving_doubling,
        double_binary_tree,
        broadcast,
        reduce,
        scatter,
        gather,
        all_gather,
        reduce_scatter,
        all_to_all,
    )
}
"""The closed forms with one kind of link, by the name of the algorithm."""


def formula(
    name: str, world_size: int, nbytes: Number, link: Link, gamma: Number = 0, **options: int
) -> Form:
    """The closed form of an algorithm by its name. Raises ValueError where there is none."""
    if name not in FORMULAS:
        raise ValueError(words.NO_FORMULA.format(name=name, known=", ".join(FORMULAS)))
    return FORMULAS[name](world_size, nbytes, link, gamma, **options)

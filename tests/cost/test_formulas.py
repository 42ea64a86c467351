"""The price of a schedule is, exactly, what the literature's closed form says."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlab import algorithms
from ringlab.cost import FORMULAS, Form, Link, Topology, flat, formula, price
from ringlab.cost.formulas import hierarchical
from ringlab.schedule import Schedule

LINK = Link(Fraction(7, 3), Fraction(1, 13))
GAMMA = Fraction(1, 101)
LARGEST = 64
LARGEST_ALL_TO_ALL = 24

seconds = st.fractions(0, 100, max_denominator=1000)


def found(schedule: Schedule, topology: Topology, nbytes: int) -> Form:
    """Counted from the messages, and priced."""
    busiest = Fraction(nbytes * schedule.busiest_bytes(1), schedule.elements)
    return Form(len(schedule.steps), busiest, price(schedule, topology, nbytes).seconds)


@pytest.mark.parametrize("name", FORMULAS)
def test_steps_bytes_and_seconds_are_those_of_the_closed_form_at_every_world_size(
    name: str,
) -> None:
    for size in range(1, (LARGEST_ALL_TO_ALL if name == "all_to_all" else LARGEST) + 1):
        topology = flat(size, LINK, GAMMA)
        for nbytes in (0, 1, 1000003):
            schedule = algorithms.get(name)(size)
            assert found(schedule, topology, nbytes) == formula(name, size, nbytes, LINK, GAMMA)
            if name == "ring" and size > 16:
                break


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_the_closed_form_holds_for_any_speeds(name: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    link, gamma = Link(data.draw(seconds), data.draw(seconds)), data.draw(seconds)
    nbytes = data.draw(st.integers(0, 1 << 40))
    schedule = algorithms.get(name)(size)
    assert found(schedule, flat(size, link, gamma), nbytes) == formula(
        name, size, nbytes, link, gamma
    )


@pytest.mark.parametrize("blocks", [1, 2, 3, 8, 20])
def test_the_pipeline_of_two_trees_has_its_closed_form_for_any_number_of_blocks(
    blocks: int,
) -> None:
    for size in range(1, LARGEST + 1) if blocks < 8 else range(1, 20):
        schedule = algorithms.double_binary_tree(size, (1,) * (2 * blocks))
        expected = formula("double_binary_tree", size, 9000, LINK, GAMMA, blocks=blocks)
        assert found(schedule, flat(size, LINK, GAMMA), 9000) == expected


def test_two_trees_reach_the_bandwidth_of_a_ring_with_the_latency_of_a_tree() -> None:
    """Sanders, Speck and Traeff: 2 M beta for large M; a tree needs log2 N times as much."""
    size, nbytes, link = 64, 1 << 40, Link(1, 1)
    best = min(
        formula("double_binary_tree", size, nbytes, link, blocks=1 << k).seconds for k in range(25)
    )
    ring = formula("ring", size, nbytes, link).seconds
    assert best < 1.02 * ring
    assert formula("tree", size, nbytes, link).seconds > 6 * ring * 0.99
    small = formula("double_binary_tree", size, 1, link, blocks=1).seconds
    assert small < formula("ring", size, 1, link).seconds / 3


def test_formulas_by_hand() -> None:
    """The forms written out once more, with numbers."""
    link = Link(10, 3)
    assert formula("ring", 4, 8, link, 5).seconds == 6 * (10 + 3 * 2) + 3 * 2 * 5
    assert formula("tree", 5, 8, link, 5).seconds == 6 * (10 + 3 * 8) + 3 * 8 * 5
    assert formula("central", 4, 8, link, 5).seconds == 6 * (10 + 3 * 8) + 3 * 8 * 5
    assert formula("recursive_doubling", 8, 8, link, 5).seconds == 3 * (10 + 3 * 8 + 5 * 8)
    folded = 2 * (10 + 3 * 8 + 5 * 8) + 2 * (10 + 3 * 8) + 5 * 8
    assert formula("recursive_doubling", 5, 8, link, 5).seconds == folded
    assert formula("halving_doubling", 4, 8, link, 5).seconds == 4 * 10 + 2 * 6 * 3 + 6 * 5
    assert formula("halving_doubling", 4, 8, link).busiest_bytes == 12
    assert formula("double_binary_tree", 2, 8, link, blocks=1).seconds == 2 * (10 + 3 * 4)
    assert formula("ring", 1, 8, link) == formula("tree", 1, 8, link) == Form(0, 0, 0)
    with pytest.raises(ValueError, match="no closed form for 'rings'"):
        formula("rings", 4, 8, link)


def test_with_floats_the_closed_form_holds_to_the_last_digits() -> None:
    link, gamma = Link(3.1e-6, 1 / 23e9), 1 / 900e9
    for name in set(FORMULAS) - {"all_to_all"}:
        for size in (1, 2, 3, 6, 13, 32):
            got = price(algorithms.get(name)(size), flat(size, link, gamma), 12345678).seconds
            expected = formula(name, size, 12345678, link, gamma).seconds
            assert got == pytest.approx(expected, rel=1e-12)
            assert size == 1 or isinstance(got, float)


def test_hierarchical_has_its_closed_form_on_its_own_topology() -> None:
    far = Link(Fraction(31), Fraction(2, 7))
    for size in (1, 2, 3, 4, 6, 9, 12, 16, 25, 30, 37, 48, 60, LARGEST):
        for per_node in (d for d in range(1, size + 1) if size % d == 0):
            schedule = algorithms.hierarchical(size, (1,) * size, ranks_per_node=per_node)
            for nics in {1, (per_node + 1) // 2, per_node}:
                nodes = size // per_node
                topology = Topology(nodes, per_node, LINK, far, GAMMA, nics=nics)
                expected = hierarchical(nodes, per_node, 5040, LINK, far, GAMMA, nics)
                assert found(schedule, topology, 5040) == expected
                assert price(schedule, topology, 5040).bytes_between == 2 * (nodes - 1) * 5040

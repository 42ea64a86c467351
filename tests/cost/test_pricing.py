"""Prices on topologies: what is shared, who is waited for, and that short forms cost the same."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlab import algorithms
from ringlab.cost import Link, Outline, Topology, cheapest, flat, outline, price, prices
from ringlab.cost.load import plan
from ringlab.cost.pricing import price_plan
from ringlab.schedule import Schedule, Step, Transfer

NEAR, FAR = Link(Fraction(2), Fraction(1, 10)), Link(Fraction(30), Fraction(1, 3))


def one_step(size: int, *messages: tuple[int, int], elements: int = 4) -> Schedule:
    step = Step(tuple(Transfer(src, dst, (0,), True) for src, dst in messages), "only")
    return Schedule("one step", size, (elements,), (step,))


def two_nodes(**more: object) -> Topology:
    return Topology(2, 2, NEAR, FAR, **more)  # type: ignore[arg-type]


def whole(name: str, size: int, **options: int) -> Schedule:
    """An algorithm with chunks of equal size, however many."""
    if "blocks" in options:
        return algorithms.get(name)(size, (1,) * (2 * options["blocks"]))
    return algorithms.get(name)(size, **options)


@st.composite
def topologies(draw: st.DrawFn, size: int) -> Topology:
    number = st.fractions(0, 50, max_denominator=40)
    per_node = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
    return Topology(
        size // per_node,
        per_node,
        Link(draw(number), draw(number)),
        Link(draw(number), draw(number)),
        gamma=draw(number),
        copy=draw(number),
        overhead=draw(number),
        nics=draw(st.integers(1, per_node)),
        shared_inside=draw(st.booleans()),
        cores=draw(st.none() | st.integers(1, per_node)),
    )


def slow_price(schedule: Schedule, topology: Topology, nbytes: int) -> Fraction:
    """The model once more, as plainly as it can be said."""
    byte = Fraction(nbytes, schedule.elements)
    size, total = topology.ranks_per_node, Fraction(0)
    for step in schedule.steps:
        sent = [(t, byte * schedule.elements_in(t)) for t in step.transfers]
        links, works = [Fraction(0)], [Fraction(0)]
        for rank in range(schedule.world_size):
            for ends in ("src", "dst"):
                own = [(t, n) for t, n in sent if getattr(t, ends) == rank]
                links.append(sum((link_of(t, topology).seconds(n) for t, n in own), Fraction(0)))
            works.append(work_of({rank}, sent, topology))
        crossing = [(t, n) for t, n in sent if t.src // size != t.dst // size]
        for node in range(topology.nodes):
            for card in range(topology.nics):
                for ends in ("src", "dst"):
                    on_it = [
                        n
                        for t, n in crossing
                        if getattr(t, ends) // size == node
                        and getattr(t, ends) % size * topology.nics // size == card
                    ]
                    links += [farther(topology).seconds(sum(on_it))] if on_it else []
            near = [n for t, n in sent if t.src // size == t.dst // size == node]
            if near and topology.shared_inside:
                links.append(topology.inside.seconds(sum(near)))
            if topology.cores:
                ranks = set(range(node * size, (node + 1) * size))
                works.append(work_of(ranks, sent, topology) / topology.cores)
        total += max(links) + max(works)
    return total


def farther(topology: Topology) -> Link:
    assert topology.between is not None
    return topology.between


def link_of(transfer: Transfer, topology: Topology) -> Link:
    size = topology.ranks_per_node
    same = transfer.src // size == transfer.dst // size
    return topology.inside if same else farther(topology)


def work_of(ranks: set[int], sent: list[tuple[Transfer, Fraction]], topology: Topology) -> Fraction:
    work = Fraction(0)
    for transfer, nbytes in sent:
        for rank in (transfer.src, transfer.dst):
            if rank in ranks:
                work += topology.overhead + topology.copy * nbytes
        if transfer.reduce and transfer.dst in ranks:
            work += topology.gamma * nbytes
    return work


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_price_is_what_the_model_says_on_any_topology(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 8))
    topology = data.draw(topologies(size))
    name = data.draw(st.sampled_from(algorithms.names()))
    needed = len(algorithms.get(name)(size).chunk_sizes)
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=needed, max_size=needed))
    schedule = algorithms.get(name)(size, sizes)
    paid = price(schedule, topology, 840)
    assert paid.seconds == slow_price(schedule, topology, 840)
    assert paid.seconds == sum(paid.per_step) == sum(paid.phases().values())
    assert paid.seconds == paid.terms.seconds(topology)
    assert paid.step_count == len(paid.per_step) == len(schedule.steps)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_messages_in_one_step_in_any_pattern_are_priced_by_the_model(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([2, 4, 6]))
    rank = st.integers(0, size - 1)
    pairs = data.draw(st.lists(st.tuples(rank, rank).filter(lambda p: p[0] != p[1]), max_size=8))
    topology = data.draw(topologies(size))
    schedule = one_step(size, *pairs)
    assert price(schedule, topology, 60).seconds == slow_price(schedule, topology, 60)


@pytest.mark.parametrize("name", ["ring", "hierarchical", "double_binary_tree", "tree", "central"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_an_outline_costs_what_the_whole_schedule_costs(name: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 16))
    topology = data.draw(topologies(size))
    options: dict[str, int] = {}
    if name == "double_binary_tree":
        options["blocks"] = data.draw(st.integers(1, 24))
    if name == "hierarchical":
        options["ranks_per_node"] = topology.ranks_per_node
    expected = price(whole(name, size, **options), topology, 10080)
    short = outline(name, size, **options)
    paid = price(short, topology, 10080)
    assert (paid.seconds, paid.terms) == (expected.seconds, expected.terms)
    assert paid.bytes_between == expected.bytes_between
    assert paid.step_count == expected.step_count
    assert paid.phases() == expected.phases()
    compact = plan(short, topology.shape).compact()
    assert sum(times for _, times in compact.loads) == expected.step_count
    out_of_order = price_plan(compact, topology, 10080)
    assert out_of_order.seconds == expected.seconds
    assert out_of_order.phases() == expected.phases()


@pytest.mark.parametrize("size", [1, 2, 3, 33, 48, 63, 64])
def test_outlines_are_right_up_to_64_ranks(size: int) -> None:
    per_node = next(d for d in (8, 3, 2, 1) if size % d == 0)
    topology = Topology(size // per_node, per_node, NEAR, FAR, Fraction(1, 9))
    for name, options in (
        ("ring", {}),
        ("hierarchical", {"ranks_per_node": per_node}),
        ("double_binary_tree", {"blocks": 12}),
    ):
        expected = price(whole(name, size, **options), topology, 10080)
        short = price(outline(name, size, **options), topology, 10080)
        assert (short.seconds, short.bytes_between) == (expected.seconds, expected.bytes_between)


def test_ten_thousand_ranks_are_priced_and_agree_with_the_closed_form() -> None:
    size, nbytes, link, gamma = 10_000, 1 << 26, Link(Fraction(3), Fraction(1, 7)), Fraction(1, 99)
    paid = price(outline("ring", size), flat(size, link, gamma), nbytes)
    part = Fraction(nbytes, size)
    assert paid.seconds == (size - 1) * (2 * link.seconds(part) + gamma * part)
    assert paid.step_count == 2 * (size - 1)


def test_ranks_of_a_node_share_its_network_card() -> None:
    crossing = one_step(4, (0, 2), (1, 3))
    assert price(crossing, two_nodes(), 16).seconds == FAR.seconds(32)
    assert price(crossing, two_nodes(nics=2), 16).seconds == FAR.seconds(16)
    assert price(crossing, two_nodes(), 16).bytes_between == 32
    both_ways = one_step(4, (0, 2), (3, 1))
    assert price(both_ways, two_nodes(), 16).seconds == FAR.seconds(16)


def test_inside_a_node_only_a_shared_link_is_shared() -> None:
    pairs = one_step(4, (0, 1), (1, 0), (2, 3))
    assert price(pairs, two_nodes(), 10).seconds == NEAR.seconds(10)
    assert price(pairs, two_nodes(shared_inside=True), 10).seconds == NEAR.seconds(20)


def test_a_rank_sends_one_message_after_the_other() -> None:
    fan_out = one_step(4, (0, 1), (0, 2))
    assert price(fan_out, two_nodes(), 10).seconds == NEAR.seconds(10) + FAR.seconds(10)


def test_ranks_that_share_cores_work_one_after_the_other() -> None:
    def paid(cores: int | None) -> object:
        topology = Topology(1, 4, Link(0, 0), gamma=5, copy=Fraction(3), overhead=100, cores=cores)
        return price(one_step(4, (0, 1), (2, 3)), topology, 10).seconds

    alone = 100 + 3 * 10 + 5 * 10
    assert paid(None) == paid(4) == alone
    assert paid(2) == Fraction(4 * (100 + 30) + 2 * 50, 2)
    assert paid(1) == 4 * (100 + 30) + 2 * 50


def test_a_price_names_what_each_step_waits_for() -> None:
    paid = price(one_step(4, (1, 0), (0, 2), (1, 3)), two_nodes(), 16)
    (step,) = paid.steps
    assert str(step.bottleneck) == "network card 0 of node 0, outgoing"
    slow = price(one_step(4, (0, 1), (3, 2)), two_nodes(gamma=9), 16).steps[0]
    assert str(slow.slowest) == "rank 0 sends" and str(slow.bottleneck) == "rank 1 works"
    shared = price(one_step(4, (2, 3), (3, 2)), two_nodes(shared_inside=True), 16)
    assert str(shared.steps[0].bottleneck) == "the shared link inside node 1"
    few = price(one_step(4, (2, 3)), two_nodes(cores=1, copy=9), 16).steps[0]
    assert str(few.bottleneck) == "the cores of node 1"
    uneven = algorithms.ring(3, (1, 1, 5))
    waits = [step.bottleneck for step in price(uneven, flat(3, NEAR), 70).steps]
    assert [place.number for place in waits if place] == [2, 0, 1, 2]


def test_messages_that_can_not_exist_cost_nothing() -> None:
    wrong = one_step(2, (0, 5), (1, 1), (-1, 0))
    assert price(wrong, flat(2, NEAR), 10).seconds == 0
    assert price(wrong, flat(2, NEAR), 10).steps[0].bottleneck is None


def test_without_bytes_an_element_has_four() -> None:
    ring = algorithms.ring(3)
    assert price(ring, flat(3, NEAR)) == price(ring, flat(3, NEAR), 4 * ring.elements)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Link(-1, 0), "0 or more, not -1 and 0"),
        (lambda: Topology(0, 1, NEAR), "at least 1 for nodes, not 0"),
        (lambda: Topology(1, 2, NEAR, cores=0), "at least 1 for cores, not 0"),
        (lambda: Topology(1, 2, NEAR, gamma=-2), "gamma is seconds, 0 or more, not -2"),
        (lambda: Topology(2, 2, NEAR), "2 nodes need a link between"),
        (lambda: Topology(1, 2, NEAR, nics=3), "3 network cards are more than the 2 ranks"),
        (lambda: price(algorithms.ring(3), flat(2, NEAR), 9), "3 ranks don't fit: .* room for 2"),
        (lambda: price(algorithms.ring(2), flat(2, NEAR), -9), "0 bytes or more, not -9"),
        (lambda: price(algorithms.ring(2, (0, 0)), flat(2, NEAR), 9), "without elements"),
        (lambda: cheapest(3, 8, flat(2, NEAR)), "3 ranks don't fit"),
    ],
)
def test_what_can_not_be_is_refused(make: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make()  # type: ignore[operator]


def test_small_tensors_want_few_steps_and_large_ones_few_bytes() -> None:
    node = flat(16, Link(5e-6, 1e-10), 1e-12)
    assert cheapest(16, 64, node) == "recursive_doubling"
    assert cheapest(16, 1 << 28, node) == "halving_doubling"
    odd = flat(13, Link(5e-6, 1e-10), 1e-12)
    assert cheapest(13, 1 << 30, odd) == "ring"
    slow_between = Topology(3, 8, Link(1e-6, 1e-11), Link(5e-6, 1e-9), 1e-13)
    assert cheapest(24, 1 << 28, slow_between) == "hierarchical"


def test_the_cheapest_is_the_cheapest_of_all_all_reduces() -> None:
    topology = Topology(4, 4, Link(1e-6, 1e-11), Link(5e-6, 1e-9), 1e-13)
    every = prices(16, 1 << 20, topology)
    named = {n for n in algorithms.names() if algorithms.get(n)(2).collective == "all_reduce"}
    assert set(every) == named
    best = every[cheapest(16, 1 << 20, topology)].seconds
    assert best == min(paid.seconds for paid in every.values())
    for name in named - {"double_binary_tree", "hierarchical"}:
        expected = price(algorithms.get(name)(16), topology, 1 << 20).seconds
        assert every[name].seconds == pytest.approx(expected, rel=1e-12)
    assert "hierarchical" not in prices(5, 1 << 20, topology)
    assert "hierarchical" not in prices(16, 1 << 20, flat(16, NEAR))


def test_the_pipeline_is_cut_as_it_suits_the_size() -> None:
    topology = flat(16, Link(5e-6, 1e-10))
    for nbytes in (1 << 10, 1 << 20, 1 << 28):
        chosen = prices(16, nbytes, topology)["double_binary_tree"].seconds
        by_hand = min(
            price(outline("double_binary_tree", 16, blocks=1 << k), topology, nbytes).seconds
            for k in range(11)
        )
        assert chosen == pytest.approx(by_hand, rel=1e-12)


def test_one_rank_costs_nothing() -> None:
    assert {paid.seconds for paid in prices(1, 1 << 20, flat(1, NEAR)).values()} == {0}
    assert cheapest(1, 1 << 20, flat(1, NEAR)) in algorithms.names()
    assert outline("ring", 1) == Outline.of(algorithms.ring(1))


def test_the_cost_model_needs_no_torch_and_no_numpy() -> None:
    code = (
        "import sys; import ringlab.cost;"
        "print([m for m in ('torch', 'matplotlib', 'ipywidgets', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Fits find what made the times, say how far they are off, and are not misled by a disturbance."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringlab import algorithms
from ringlab.cost import Link, Topology, fit, fit_topology, price
from ringlab.schedule import Schedule

SIZES = [1 << k for k in range(10, 27, 2)]


@given(st.floats(1e-7, 1e-3), st.floats(1e-12, 1e-7))
def test_a_fit_finds_the_link_that_made_the_times(alpha: float, beta: float) -> None:
    found = fit((n, alpha + beta * n) for n in SIZES)
    assert tuple(found) == pytest.approx((alpha, beta), rel=1e-6)
    assert found.worst_factor == pytest.approx(1, abs=1e-9)
    assert found.link == Link(*found)
    assert found.seconds(5) == found.alpha + 5 * found.beta


def test_single_disturbed_samples_change_nothing() -> None:
    calm = [(n, 2e-5 + 1e-9 * n) for n in SIZES for _ in range(5)]
    disturbed = [(n, s * (40 if i % 5 == 0 else 1)) for i, (n, s) in enumerate(calm)]
    assert tuple(fit(disturbed)) == pytest.approx((2e-5, 1e-9), rel=1e-9)


def test_small_sizes_count_as_much_as_large_ones() -> None:
    """Ten per cent of noise on the largest is more than all of alpha; alpha must survive it."""
    noisy = [(n, (2e-5 + 1e-9 * n) * (1.1 if n == SIZES[-1] else 1)) for n in SIZES]
    assert fit(noisy).alpha == pytest.approx(2e-5, rel=0.05)


def test_nothing_is_fitted_below_zero() -> None:
    falling = fit([(1 << 10, 3.0), (1 << 20, 1.0)])
    assert falling.beta == 0 and 1 < falling.alpha < 3
    steep = fit([(1000, 1.0), (2000, 3.0)])
    assert steep.alpha == 0 and steep.beta > 0


def test_a_fit_says_how_far_it_is_off() -> None:
    bent = fit([(n, 1e-5 + 1e-9 * n * (3 if n > 1 << 20 else 1)) for n in SIZES])
    assert bent.worst_factor > 1.2
    assert set(bent.errors) == set(SIZES)
    assert 0 < bent.typical_error <= max(map(abs, bent.errors.values()))


def test_samples_that_give_no_line_are_refused() -> None:
    with pytest.raises(ValueError, match="two different sizes at least; there are 1"):
        fit([(8, 1.0), (8, 2.0)])
    with pytest.raises(ValueError, match="more than 0 seconds, not 0"):
        fit([(8, 1.0), (9, 0.0)])
    start = Topology(1, 4, Link(1, 1))
    with pytest.raises(ValueError, match="no term called delta. Known: alpha_inside"):
        fit_topology([(algorithms.ring(4), 8, 1.0)], start, ["delta"])
    with pytest.raises(ValueError, match="more than 0 seconds"):
        fit_topology([(algorithms.ring(4), 8, 0.0)], start)


def measured(topology: Topology, noise: float) -> list[tuple[Schedule, int, float]]:
    wobble = random.Random(7)
    return [
        (schedule, n, float(price(schedule, topology, n).seconds) * (1 + noise * wobble.random()))
        for name in ("ring", "tree", "central", "recursive_doubling", "halving_doubling")
        for schedule in [algorithms.get(name)(4)]
        for n in SIZES
    ]


def test_shared_cores_are_told_from_links_by_several_algorithms() -> None:
    """As four ranks on two cores: plain alpha and beta miss by far, with the cores they fit."""
    true = Topology(1, 4, Link(2e-5, 1e-10), copy=1e-9, overhead=3e-5, cores=2)
    samples = measured(true, 0)
    plain = fit_topology(samples, Topology(1, 4, Link(1e-5, 1e-9)))
    assert plain.worst_factor > 1.3
    start = Topology(1, 4, Link(1e-5, 1e-9), cores=2)
    found = fit_topology(samples, start, ["alpha_inside", "beta_inside", "copy", "overhead"])
    assert found.worst_factor < 1.001
    assert found.topology.copy == pytest.approx(1e-9, rel=0.01)
    assert found.topology.overhead == pytest.approx(3e-5, rel=0.01)


def test_terms_that_are_not_free_stay() -> None:
    true = Topology(2, 2, Link(1e-6, 1e-10), Link(5e-5, 1e-8), gamma=1e-11)
    found = fit_topology(
        measured(true, 0.02),
        Topology(2, 2, Link(1e-6, 1e-10), Link(1e-6, 1e-9), gamma=1e-11),
        ["alpha_between", "beta_between"],
    )
    assert found.topology.inside == true.inside and found.topology.gamma == true.gamma
    assert found.topology.between is not None
    assert found.topology.between.alpha == pytest.approx(5e-5, rel=0.05)
    assert found.topology.between.beta == pytest.approx(1e-8, rel=0.05)
    assert found.worst_factor < 1.05

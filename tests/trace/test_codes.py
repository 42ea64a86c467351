"""Coded values: every partial sum decodes to one meaning, or is called unexplained."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlab.trace.codes import MOST_SLOTS_BY_ELEMENT, Code

worlds = st.integers(1, 16)


def combine(code: Code, counts: np.ndarray) -> list[bytes]:
    """What a program holds that adds counts[rank, element] times each element of each rank."""
    values = []
    for run in code.inputs():
        words = np.stack([np.frombuffer(data, dtype=np.uint64) for data in run])
        total = (words * counts.astype(np.uint64)).sum(dtype=np.uint64, keepdims=True)
        values.append(total.reshape(1).tobytes())
    return values


@given(worlds, st.data())
def test_any_sum_of_contributions_to_one_element_is_read_back(n: int, data: st.DataObject) -> None:
    elements = data.draw(st.integers(1, 64))
    code = Code.draw(n, elements, seed=1)
    element = data.draw(st.integers(0, elements - 1))
    counts = np.zeros((n, elements), dtype=np.int64)
    counts[:, element] = data.draw(st.lists(st.integers(0, 15), min_size=n, max_size=n))
    reading = code.read(combine(code, counts))
    assert reading.explained[0]
    if counts.any():
        assert (reading.counts[0] == counts).all()
    else:
        assert not reading.counts[0].any()


@given(worlds, st.data())
def test_a_sum_over_different_elements_is_read_or_refused(n: int, data: st.DataObject) -> None:
    elements = data.draw(st.integers(2, 24))
    code = Code.draw(n, elements, seed=2)
    flat = data.draw(st.lists(st.integers(0, 15), min_size=n * elements, max_size=n * elements))
    counts = np.array(flat).reshape(n, elements)
    reading = code.read(combine(code, counts))
    if n * elements <= MOST_SLOTS_BY_ELEMENT:
        assert reading.explained[0]
    if reading.explained[0]:
        assert (reading.counts[0] == counts).all()


@given(worlds, st.integers(1, 30), st.integers(16, 1 << 20), st.integers(0, 15))
def test_a_digit_that_overflows_is_never_given_a_wrong_meaning(
    n: int, elements: int, count: int, rank: int
) -> None:
    code = Code.draw(n, elements, seed=3)
    counts = np.zeros((n, elements), dtype=np.int64)
    counts[rank % n, 0] = count
    assert not code.read(combine(code, counts)).explained[0]


@settings(max_examples=200)
@given(worlds, st.integers(1, 30), st.integers(0, (1 << 64) - 1))
def test_a_value_from_elsewhere_is_unexplained(n: int, elements: int, value: int) -> None:
    code = Code.draw(n, elements)
    data = np.array([value], dtype=np.uint64).tobytes()
    reading = code.read([data] * (code.digit_runs + 1))
    # The same number in every run could only be right if it were zero.
    assert reading.explained[0] == (value == 0)


def test_inputs_have_one_int64_an_element() -> None:
    code = Code.draw(5, 7)
    assert all(len(data) == 7 * 8 for run in code.inputs() for data in run)

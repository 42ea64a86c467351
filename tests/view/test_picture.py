"""The picture of a step: right, readable without colour, and never out of its frame."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from ringlab import algorithms
from ringlab.schedule import Content, Playback, Schedule, Step, Transfer, simulate
from ringlab.view import draw, playback_of
from ringlab.view.captions import caption
from ringlab.view.layout import WIDTH, layout
from ringlab.view.picture import Film
from ringlab.view.ring_panel import _box_size, _home, arrows_of
from ringlab.view.style import RANK_COLOURS, bytes_text, text_colour, wrap
from ringlab.view.table_panel import ranges

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = """def ring_all_reduce(tensor):
    dist.isend(tensor, 1)  # <b>&amp;</b>
    dist.recv(tensor)
"""


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def words_in(svg: str) -> list[str]:
    return [element.text or "" for element in parse(svg).iter(f"{SVG}text")]


def star(size: int) -> Schedule:
    others = range(1, size)
    collect = tuple(Transfer(rank, 0, (0, 1), True) for rank in others)
    back = tuple(Transfer(0, rank, (0, 1), False) for rank in others)
    return Schedule("star", size, (8, 8), (Step(collect, "collect"), Step(back, "send back")))


SCHEDULES = [
    *(algorithms.ring(size) for size in range(1, 17)),
    *(algorithms.central(size) for size in (1, 2, 4, 8, 16)),
    *(star(size) for size in (3, 8, 12)),
    algorithms.ring(5, (3, 3, 2, 2, 0)),
    algorithms.ring(40),
]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: f"{s.name}{s.world_size}")
def test_every_step_is_one_well_formed_svg_without_ids(schedule: Schedule) -> None:
    film = Film(playback_of(schedule))
    heights = set()
    steps = range(film.last + 1)
    for step in {0, film.last // 2, film.last} if schedule.world_size > 8 else steps:
        svg = film.draw(step)
        root = parse(svg)
        assert root.tag == f"{SVG}svg" and root.get("role") == "img"
        assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
        assert not re.search(r"\sid=|url\(#|NaN|inf\b|None", svg)
        heights.add(root.get("viewBox"))
    assert len(heights) == 1


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: f"{s.name}{s.world_size}")
def test_no_text_leaves_the_frame(schedule: Schedule) -> None:
    film = Film(playback_of(schedule))
    root = parse(film.draw(film.last // 2))
    height = float((root.get("viewBox") or "").split()[3])
    for element in root.iter(f"{SVG}text"):
        for x in (element.get("x") or "0").split():
            assert 0 <= float(x) <= WIDTH
        for y in (element.get("y") or "0").split():
            assert 0 <= float(y) <= height


def test_the_same_state_gives_the_same_picture() -> None:
    assert draw(algorithms.ring(4), 2) == draw(simulate(algorithms.ring(4)), 2)


def test_the_first_picture_already_teaches() -> None:
    svg = draw(algorithms.ring(4), 0)
    said = " ".join(words_in(svg))
    assert "Ring AllReduce, 4 ranks" in said
    assert "Rank 0 passes chunk 0, so far its own part alone, to rank 1" in said
    assert "rank's part is in" in said
    assert "0 of 6 MiB, the least possible: 6 MiB · all ranks: 0 of 24 messages" in said
    assert "step 0 of 0–5 · reduce-scatter" in svg


@pytest.mark.parametrize(
    ("schedule", "step", "caption"),
    [
        (algorithms.ring(4), 3, "Rank 0 passes chunk 1, complete, to rank 1, which puts it"),
        (algorithms.ring(4), 6, "Done: every rank holds every chunk"),
        (algorithms.central(3), 0, "Rank 1 sends chunk 0, so far its own part alone, to rank 0"),
        (star(4), 0, "Ranks 1 to 3 send chunks 0 and 1 to rank 0 at the same time. It adds them"),
        (star(4), 1, "Rank 0 sends chunks 0 and 1, complete, to ranks 1 to 3 at the same time."),
        (
            Schedule("b", 3, (1,), (Step((Transfer(2, 0, (0,), False),)),), "broadcast", root=2),
            0,
            "Rank 2 sends chunk 0, its own, to rank 0, which keeps it.",
        ),
        (algorithms.ring(1), 0, "One rank has nobody to exchange with."),
        (Schedule("pause", 2, (1,), (Step(()),)), 0, "No message in this step."),
        (Schedule("nothing", 2, (1,), ()), 0, "Over, but not right: 2 of 2 chunks"),
    ],
)
def test_each_step_has_its_sentence(schedule: Schedule, step: int, caption: str) -> None:
    description = parse(draw(schedule, step)).find(f"{SVG}desc")
    assert description is not None and (description.text or "").startswith(caption)


def test_a_step_shows_what_is_sent_added_overwritten_and_complete() -> None:
    ring = algorithms.ring(4)
    adding, copying, done = (words_in(draw(ring, step)) for step in (0, 3, 6))
    assert adding.count("→ sends") == 4 + 1
    assert adding.count("+ receives, adds") == 4 + 1
    assert copying.count("✓ → sends") == copying.count("= overwrites") == 4
    assert done.count("✓ complete") == 16 + 1


def test_a_chunk_shows_who_is_in_it_by_place_number_and_colour() -> None:
    svg = draw(algorithms.ring(4), 1)
    for rank in range(4):
        numbers = [t for t in parse(svg).iter(f"{SVG}text") if set(t.text or "x") == {str(rank)}]
        in_chunks = max(len(t.text or "") for t in numbers)
        state = simulate(algorithms.ring(4)).states[1]
        assert in_chunks == sum(content.counts[rank] for row in state for content in row)
        assert f'fill="{RANK_COLOURS[rank]}"' in svg


def test_a_part_counted_twice_shows_how_often() -> None:
    ring = algorithms.ring(4)
    twice = replace(ring, steps=(ring.steps[0], *ring.steps))
    said = words_in(draw(twice, 7))
    assert said.count("2×") == 16 + 1
    assert "✗ 0 counted 2×" in said


def test_the_legend_explains_the_marks_that_occur_and_no_others() -> None:
    ring = algorithms.ring(4)
    marks = ["+ receives, adds", "= receives, overwrites", "✓ complete", "the least possible"]
    marks += ["sent before this step", "sent in this step"]
    said = words_in(draw(ring, 0))
    assert all(mark in said for mark in marks)
    assert "counted twice" not in said and "no sum of parts" not in said
    doubled = replace(ring, steps=(ring.steps[0], *ring.steps))
    said = words_in(draw(doubled, 0))
    assert "counted twice" in said and "no sum of parts" not in said
    said = words_in(draw(algorithms.broadcast(4), 0))
    assert "= receives, overwrites" in said
    assert "+ receives, adds" not in said and "the least possible" not in said
    assert "sent in this step" not in words_in(draw(algorithms.ring(1), 0))


def test_a_recorded_run_does_not_say_that_messages_came_at_the_same_time() -> None:
    for schedule in (star(4), algorithms.ring(4)):
        plan = simulate(schedule, strict=False)
        playback = replace(plan, source="def f(tensor): ...")
        for step in range(len(schedule.steps)):
            said = caption(playback, step)
            assert "at the same time" not in said and "without waiting for one another" in said
            assert "at the same time" in caption(plan, step)
    messages = tuple(Transfer(rank, 0, (0,), True) for rank in (1, 2, 3))
    gather = Schedule("one chunk", 4, (1,), (Step(messages),))
    assert caption(simulate(gather, strict=False), 0).endswith(
        "send chunk 0 to rank 0 at the same time. It adds them to what it has."
    )


def test_a_value_that_no_sum_explains_is_a_question_mark() -> None:
    ring = algorithms.ring(2)
    right = simulate(ring)
    unknown = Content((0, 0), unexplained=True)
    states = (*right.states[:-1], ((unknown, right.states[-1][0][1]), right.states[-1][1]))
    said = words_in(draw(Playback(ring, states, right.carried), 2))
    assert said.count("?") == 1 + 1
    assert "✗ no sum of parts" in said


def test_a_wrong_run_says_in_its_step_what_went_wrong() -> None:
    ring = algorithms.ring(4)
    steps = list(ring.steps)
    first, *rest = steps[0].transfers
    steps[0] = replace(steps[0], transfers=(replace(first, reduce=False), *rest))
    broken = replace(ring, steps=tuple(steps))
    assert "overwrites chunk 0 on rank 1" in " ".join(words_in(draw(broken, 0)))
    end = " ".join(words_in(draw(broken, 6)))
    assert "Over, but not right: 4 of 16 chunks" in end and "✗ lacks 1" in end
    between = "What goes wrong is said at steps 0 and 3, and after the last step."
    assert between in words_in(draw(broken, 2)) and between not in words_in(draw(broken, 0))
    given = replace(simulate(broken, strict=False), faults=("Something <else>.",))
    assert "Something <else>." in words_in(draw(given, 6))


def test_bytes_are_measured_against_the_least_possible() -> None:
    said = " ".join(words_in(draw(algorithms.central(4), 6)))
    assert "sent by rank 0, the busiest" in said
    assert "12 of 12 MiB, least: 6 MiB · all ranks: 6 of 6 messages" in said


def test_a_recorded_run_shows_its_code_with_the_lines_of_the_step_lit() -> None:
    ring = algorithms.ring(2)
    lit = [replace(t, send_line=2, recv_line=3) for t in ring.steps[0].transfers]
    schedule = replace(ring, steps=(replace(ring.steps[0], transfers=tuple(lit)), *ring.steps[1:]))
    playback = replace(simulate(schedule), source=SOURCE, title="Your <ring>")
    svg = draw(playback, 0)
    assert "Your <ring>" in "".join(parse(svg).itertext())
    assert [w.replace("\u00a0", " ") for w in words_in(svg) if "isend" in w] == [
        "    dist.isend(tensor, 1)  # <b>&amp;</b>"
    ]
    assert svg.count('fill="#FFF0B3"') == 2 and "send" in words_in(svg)
    assert "step 0 of 0–1 · reduce-scatter" in "".join(parse(svg).itertext())
    assert draw(playback, 1).count('fill="#FFF0B3"') == 0


def test_a_recorded_run_says_what_receivers_do_in_the_place_of_a_phase() -> None:
    ring = algorithms.ring(3)
    steps = tuple(replace(step, phase="") for step in ring.steps)
    recorded = replace(ring, steps=(*steps, Step((*steps[0].transfers[:1], steps[2].transfers[1]))))
    said = ["".join(parse(draw(recorded, step)).itertext()) for step in (0, 2, 4)]
    assert "step 0 of 0–4 · receivers add" in said[0]
    assert "step 2 of 0–4 · receivers overwrite" in said[1]
    assert "receivers" not in said[2].split("step 4 of 0–4")[1][:14]


def test_long_code_keeps_the_head_of_its_function() -> None:
    source = "\n".join(["import torch", "", "def f(tensor):", *["    pass"] * 60, "def g(): ..."])
    ring = algorithms.ring(2)
    lit = [replace(t, send_line=50, recv_line=52) for t in ring.steps[0].transfers]
    schedule = replace(ring, steps=(replace(ring.steps[0], transfers=tuple(lit)), *ring.steps[1:]))
    said = words_in(draw(replace(simulate(schedule), source=source), 0))
    assert "def\u00a0f(tensor):" in said and "import\u00a0torch" not in said
    assert "def\u00a0g():\u00a0..." not in said


def test_long_code_is_cut_to_what_the_run_used() -> None:
    source = "\n".join(f"line_{number}()" for number in range(1, 201))
    ring = algorithms.ring(2)
    lit = [replace(t, send_line=120, recv_line=130) for t in ring.steps[0].transfers]
    schedule = replace(ring, steps=(replace(ring.steps[0], transfers=tuple(lit)), *ring.steps[1:]))
    said = words_in(draw(replace(simulate(schedule), source=source), 0))
    assert "line_120()" in said and "line_130()" in said and "line_60()" not in said
    assert said.count("⋯") >= 2


@pytest.mark.parametrize("size", range(2, 9))
def test_message_boxes_cover_no_rank_and_no_other_box(size: int) -> None:
    place = layout(size, size, False)
    width, height = _box_size(place)
    radius = place.node_radius
    every = tuple((a, b) for a in range(size) for b in range(size) if a != b)
    ring = tuple((rank, (rank + 1) % size) for rank in range(size))
    for pairs in (ring, every, tuple((0, r) for r in range(1, size))):
        boxes = [arrow.box for arrow in arrows_of(place, pairs) if arrow.box]
        assert pairs != ring or len(boxes) == size
        for index, (x, y) in enumerate(boxes):
            assert x - width / 2 > 0 and x + width / 2 < place.table_x - 34
            for u, v in boxes[:index]:
                assert abs(x - u) >= width - 0.1 or abs(y - v) >= height - 0.1
            for rank in range(size):
                u, v = _home(place, rank)
                assert abs(x - u) > width / 2 + radius or abs(y - v) > height / 2 + radius


def test_numbers_can_be_read_on_every_colour() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert len(set(RANK_COLOURS)) == 8
    for colour in (*RANK_COLOURS, "#3E5C76"):
        high, low = sorted((luminance(colour), luminance(text_colour(colour))), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_what_can_not_be_drawn_is_said() -> None:
    with pytest.raises(ValueError, match="There is no step 7: the pictures go from 0 to 6"):
        draw(algorithms.ring(4), 7)
    with pytest.raises(ValueError, match="65 ranks are too many to draw"):
        draw(algorithms.central(65), 0)
    with pytest.raises(TypeError, match="int can't be shown"):
        draw(3, 0)


def test_whatever_has_a_playback_can_be_drawn() -> None:
    class Recorded:
        def playback(self) -> Playback:
            return simulate(algorithms.ring(2))

    assert draw(Recorded(), 1) == draw(algorithms.ring(2), 1)


def test_small_texts() -> None:
    assert ranges((0, 1, 2, 5)) == "0–2,5"
    assert ranges((0, 14, 15), 16) == "14–0"
    assert [bytes_text(n) for n in (0, 96, 1536, 24 << 20)] == ["0 B", "96 B", "1.5 KiB", "24 MiB"]
    assert wrap("one two three", 10, 45) == ["one two", "three"]


def test_a_step_takes_milliseconds() -> None:
    for size, most in ((8, 20), (16, 60)):
        film = Film(playback_of(algorithms.ring(size)))
        times = []
        for step in range(film.last + 1):
            begin = time.perf_counter()
            film.draw(step)
            times.append(time.perf_counter() - begin)
        assert sorted(times)[len(times) // 2] * 1000 < most

"""The player without a browser: what its controls do, and what it leaves behind."""

from __future__ import annotations

import asyncio
import time

import ipywidgets
import pytest

from ringlab import algorithms
from ringlab.view import Player, draw
from ringlab.view import player as player_module


def part(player: Player, name: str) -> ipywidgets.Widget:
    found = [w for w in player.children[0].children if name in w._dom_classes]
    assert len(found) == 1
    return found[0]


def clock(player: Player) -> ipywidgets.Play:
    return next(w for w in player.children[0].children if isinstance(w, ipywidgets.Play))


@pytest.fixture
def player() -> Player:
    return Player(algorithms.ring(4))


def test_it_starts_at_step_0_with_the_picture(player: Player) -> None:
    assert player.step == 0
    assert player.svg == draw(algorithms.ring(4), 0)
    assert "ringlab-player" in player._dom_classes


def test_next_prev_and_reset_move_the_picture(player: Player) -> None:
    for name, step in [("next", 1), ("next", 2), ("prev", 1), ("prev", 0), ("prev", 0)]:
        part(player, f"ringlab-{name}").click()
        assert player.step == step
        assert player.svg == draw(algorithms.ring(4), step)
    for _ in range(9):
        part(player, "ringlab-next").click()
    assert player.step == 6
    part(player, "ringlab-reset").click()
    assert (player.step, player.svg) == (0, draw(algorithms.ring(4), 0))


def test_the_slider_moves_the_picture(player: Player) -> None:
    part(player, "ringlab-slider").value = 4
    assert player.svg == draw(algorithms.ring(4), 4)


def test_controls_have_text_labels(player: Player) -> None:
    labels = [part(player, f"ringlab-{n}").description for n in ("prev", "next", "play", "reset")]
    assert labels == ["Prev", "Next", "Play", "Reset"]


def test_the_clock_plays_the_steps_and_the_button_pauses(player: Player) -> None:
    button = part(player, "ringlab-play")
    button.click()
    assert clock(player).playing and button.description == "Pause"
    for step in (1, 2, 3):
        clock(player).value = step
        assert player.step == step
    button.click()
    assert not clock(player).playing and button.description == "Play"
    clock(player).value = 5
    assert player.step == 3


def test_play_at_the_end_starts_over(player: Player) -> None:
    player.show_step(6)
    player.play()
    assert player.step == 0 and clock(player).playing


def test_a_step_by_hand_stops_the_clock(player: Player) -> None:
    player.play()
    part(player, "ringlab-next").click()
    assert not clock(player).playing


def test_the_slider_while_playing_takes_the_clock_along(player: Player) -> None:
    player.play()
    part(player, "ringlab-slider").value = 4
    assert clock(player).value == 4 and clock(player).playing


def test_it_stops_when_its_last_view_is_gone_and_closes_later(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "GRACE_SECONDS", 0.02)
    inside = [player, *player.children, *player.children[0].children]

    async def leave() -> None:
        player._view_count = 1
        player.play()
        player._view_count = 0
        assert not clock(player).playing
        assert player.comm is not None
        await asyncio.sleep(0.1)

    asyncio.run(leave())
    assert all(widget.comm is None for widget in inside)


def test_a_view_that_comes_back_keeps_the_player(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "GRACE_SECONDS", 0.02)

    async def leave_and_return() -> None:
        player._view_count = 1
        player._view_count = 0
        player._view_count = 1
        await asyncio.sleep(0.1)

    asyncio.run(leave_and_return())
    assert player.comm is not None


def test_one_rank_has_a_picture_and_nothing_to_press() -> None:
    alone = Player(algorithms.ring(1))
    assert part(alone, "ringlab-next").disabled and part(alone, "ringlab-slider").disabled
    alone.play()
    assert alone.step == 0 and "nothing to send" in alone.svg


def test_a_step_takes_milliseconds_in_the_kernel() -> None:
    player = Player(algorithms.ring(8))
    times = []
    for step in range(1, 15):
        begin = time.perf_counter()
        player.show_step(step)
        times.append(time.perf_counter() - begin)
    assert sorted(times)[7] < 0.03

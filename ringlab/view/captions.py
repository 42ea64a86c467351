"""One sentence for each step of a schedule, and what a reader who sees no picture needs."""

from __future__ import annotations

from typing import Any

from ringlab.schedule import (
    Content,
    MissingContribution,
    Playback,
    Schedule,
    Step,
    Transfer,
    find_faults,
    is_complete,
    simulate,
)
from ringlab.words import view as words
from ringlab.words.lists import CHUNKS, RANKS, STEPS, join_numbers

SUMS = ("all_reduce", "reduce", "reduce_scatter")
"""The collectives that add. In the others a chunk is one rank's from start to end."""


def playback_of(what: Any) -> Playback:
    """A playback of a Schedule, of a Playback, or of whatever has a ``playback`` method."""
    if isinstance(what, Playback):
        return what
    if isinstance(what, Schedule):
        return simulate(what, strict=False)
    if callable(getattr(what, "playback", None)):
        return playback_of(what.playback())
    raise TypeError(words.NOT_A_SCHEDULE.format(kind=type(what).__name__))


def title(playback: Playback) -> str:
    """The playback's own title, or algorithm, collective and number of ranks."""
    if playback.title is not None:
        return playback.title
    schedule = playback.schedule
    name = schedule.name.replace("_", " ")
    return words.TITLE.format(
        name=name[:1].upper() + name[1:],
        collective=words.COLLECTIVE_TITLES[schedule.collective],
        ranks=plural(words.RANK_COUNT, schedule.world_size),
    )


def plural(pair: tuple[str, str], count: int) -> str:
    """The template for one or for several, filled in."""
    return pair[count != 1].format(count=count)


def subtitle(playback: Playback, step: int) -> str:
    """Which step the picture shows, and its phase."""
    steps = playback.schedule.steps
    if not steps:
        return words.NO_STEPS
    last = len(steps) - 1
    if step > last:
        ending = words.DONE if playback.is_right else words.NOT_RIGHT
        return words.WITH_PHASE.format(step=words.AFTER.format(last=last), phase=ending)
    where = words.STEP.format(step=step, last=last) if last else words.STEP_ALONE
    phase = steps[step].phase or _receivers(steps[step])
    return words.WITH_PHASE.format(step=where, phase=phase) if phase else where


def _receivers(step: Step) -> str:
    """What a recorded run has in the place of a phase, which only an algorithm can name."""
    kinds = {transfer.reduce for transfer in step.transfers}
    return words.RECEIVERS[kinds.pop()] if len(kinds) == 1 else ""


def caption(playback: Playback, step: int) -> str:
    """What happens in a step, in one or two sentences."""
    schedule = playback.schedule
    if step >= len(schedule.steps):
        return _ending(playback)
    now = schedule.steps[step]
    if not now.transfers:
        return words.NO_MESSAGE
    first = min(range(len(now.transfers)), key=lambda i: now.transfers[i].src)
    transfer = now.transfers[first]
    values = {
        "src": transfer.src,
        "dst": transfer.dst,
        "dsts": join_numbers((t.dst for t in now.transfers), RANKS),
        "srcs": _capital(join_numbers((t.src for t in now.transfers), RANKS)),
        "count": len(now.transfers),
        "chunk": join_numbers(transfer.chunks, CHUNKS),
        "holding": _holding(playback.carried[step][first], transfer, schedule),
    }
    shape = _shape(now, schedule)
    several = len(transfer.chunks) > 1 or shape is words.SEVERAL_SEND
    values["does"] = _does(playback, step, transfer, several)
    template = shape if isinstance(shape, str) else shape[_is_recorded(playback)]
    return template.format(**values)


def _is_recorded(playback: Playback) -> bool:
    return playback.source is not None or any(
        transfer.send_line is not None for transfer in playback.schedule.transfers
    )


def _shape(step: Step, schedule: Schedule) -> str | tuple[str, str]:
    """The template, or pair of them, that fits how the messages of a step lie to each other."""
    transfers = step.transfers
    same = len({(t.reduce, t.chunks) for t in transfers}) == 1
    if len(transfers) == 1:
        return words.SENDS_ONE
    if _is_ring(transfers, schedule.world_size):
        return words.PASSES_ON
    if same and len({t.src for t in transfers}) == 1:
        return words.SENDS_TO_SEVERAL
    if same and len({t.dst for t in transfers}) == 1:
        return words.SEVERAL_SEND
    return words.SEVERAL_MESSAGES


def _is_ring(transfers: tuple[Transfer, ...], world_size: int) -> bool:
    return (
        sorted(t.src for t in transfers) == list(range(world_size))
        and all(t.dst == (t.src + 1) % world_size for t in transfers)
        and len({t.chunks for t in transfers}) == world_size
        and len({t.reduce for t in transfers}) == 1
    )


def _holding(contents: tuple[Content, ...], transfer: Transfer, schedule: Schedule) -> str:
    if len(set(contents)) != 1:
        return words.HOLDS_VARIOUS
    content = contents[0]
    if content.unexplained:
        return words.HOLDS_UNKNOWN
    twice = [rank for rank, count in enumerate(content.counts) if count > 1]
    if twice:
        be = words.IS if len(twice) == 1 else words.ARE
        return words.HOLDS_TWICE.format(whose=join_numbers(twice, RANKS), be=be)
    ranks = content.ranks
    if not ranks:
        return words.HOLDS_NOTHING
    if schedule.collective not in SUMS and len(ranks) == 1:
        own = ranks[0] == transfer.src
        return words.HOLDS_ITS_OWN if own else words.HOLDS_FROM.format(rank=ranks[0])
    if len(ranks) == schedule.world_size:
        return words.HOLDS_ALL
    if len(ranks) > 1:
        return words.HOLDS_SUM.format(count=len(ranks))
    own = ranks[0] == transfer.src
    return words.HOLDS_OWN if own else words.HOLDS_ONE.format(rank=ranks[0])


def _does(playback: Playback, step: int, transfer: Transfer, several: bool) -> str:
    if transfer.reduce:
        return words.DOES_ADD_SEVERAL if several else words.DOES_ADD
    row = playback.states[step][transfer.dst] if _exists(transfer.dst, playback) else ()
    if all(row[place].is_empty for place in transfer.places if place < len(row)):
        return words.DOES_FILL_SEVERAL if several else words.DOES_FILL
    return words.DOES_OVERWRITE_SEVERAL if several else words.DOES_OVERWRITE


def _exists(rank: int, playback: Playback) -> bool:
    return 0 <= rank < playback.schedule.world_size


def _ending(playback: Playback) -> str:
    schedule = playback.schedule
    if not playback.is_right:
        pairs = [
            (content, wanted)
            for held, wants in zip(playback.states[-1], playback.goal, strict=True)
            for content, wanted in zip(held, wants, strict=True)
            if wanted is not None
        ]
        wrong = sum(not is_complete(content, wanted) for content, wanted in pairs)
        return words.END_WRONG.format(wrong=wrong, all=len(pairs))
    if schedule.world_size == 1:
        return words.END_ALONE
    if not schedule.steps:
        return words.START_ONLY
    return words.END_ALL_REDUCE if schedule.collective == "all_reduce" else words.END_RIGHT


def notes(playback: Playback) -> dict[int, list[str]]:
    """What goes wrong, by the step in which it does; what is wrong in the end under the last."""
    if playback.is_right and not playback.faults:
        return {}
    last = len(playback.schedule.steps)
    found: dict[int, list[str]] = {}
    for fault in find_faults(playback):
        if fault.step is not None and not isinstance(fault, MissingContribution):
            found.setdefault(fault.step, []).append(str(fault))
        found.setdefault(last, []).append(str(fault))
    if playback.faults:
        found[last] = list(playback.faults)
    return found


def notes_ahead(found: dict[int, list[str]], last: int) -> str:
    """Where the notes stand, for the steps that have none."""
    before = [step for step in found if step < last]
    places = words.NOTES_AT.format(steps=join_numbers(before, STEPS))
    if last in found:
        places = words.NOTES_AND_AT_END.format(places=places) if before else words.NOTES_AT_END
    return words.NOTES_LATER.format(places=places)


def description(playback: Playback, step: int) -> str:
    """The picture in words: the caption, and what every rank holds."""
    world_size = playback.schedule.world_size
    rows = []
    for rank in range(world_size):
        cells = (
            words.CELL.format(chunk=chunk, ranks=_cell_in_words(content))
            for chunk, content in enumerate(playback.states[step][rank])
        )
        rows.append(words.ROW.format(rank=rank, cells="; ".join(cells)))
    return words.DESCRIPTION.format(caption=caption(playback, step), table=" ".join(rows))


def _cell_in_words(content: Content) -> str:
    if content.unexplained:
        return words.CELL_UNKNOWN
    return join_numbers(content.ranks) if content.ranks else words.CELL_NOTHING


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

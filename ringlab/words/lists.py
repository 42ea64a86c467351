"""Numbers in a sentence: an edition in another language joins them in its own way."""

from __future__ import annotations

from collections.abc import Iterable

AND = " and "
COMMA = ", "
RUN = "{first} to {last}"
RANKS = ("rank {numbers}", "ranks {numbers}")
CHUNKS = ("chunk {numbers}", "chunks {numbers}")
STEPS = ("step {numbers}", "steps {numbers}")
JUST_NUMBERS = ("{numbers}", "{numbers}")


def join_numbers(numbers: Iterable[int], named: tuple[str, str] = JUST_NUMBERS) -> str:
    """``0, 2 and 3``; ``0 to 3, 5 and 7``, for runs of three or more are shortened.

    ``named`` are templates for one number and for several, such as ``RANKS``.
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    items: list[str] = []
    for run in runs:
        long = len(run) > 2
        items += [RUN.format(first=run[0], last=run[-1])] if long else map(str, run)
    text = AND.join([COMMA.join(items[:-1]), items[-1]] if items[1:] else items)
    return named[sum(map(len, runs)) != 1].format(numbers=text)

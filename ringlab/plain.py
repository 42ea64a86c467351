"""Text from a learner's run made safe to print: in a terminal, a notebook and a log."""

from __future__ import annotations

import unicodedata

LIMIT = 2000
"""Characters that `plain` keeps when the caller does not say how many."""

# Control characters, invisible and direction-changing ones, lone surrogates, line separators.
_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def plain(text: object, limit: int = LIMIT, lines: bool = False) -> str:
    """``text`` with everything that a terminal or browser would act on written as an escape.

    An escape sequence becomes ``\\x1b[2J``, a right-to-left override ``\\u202e``, a lone surrogate
    ``\\ud800``. With ``lines`` a new line stays one. What is longer than ``limit`` characters is
    cut and ends in "…". The result can always be written as UTF-8, and is stable: making it plain
    once more changes nothing. Never raises: what has no text gives its type's name.
    """
    whole = _text(text)
    cut = whole[: limit + 1]
    shown = cut if len(cut) <= limit else cut[: max(0, limit - 1)]
    safe = shown if shown.isascii() and shown.isprintable() else _escape(shown, lines)
    if len(safe) > limit:
        safe = safe[: max(0, limit - 1)]
        shown = ""
    return safe if shown == cut else safe + "…"


def _text(value: object) -> str:
    try:
        # A subclass of str may say something else each time; this copies its characters.
        return str.__str__(value) if isinstance(value, str) else str.__str__(str(value))
    except Exception:
        return str.__str__(type(value).__name__)


def _escape(text: str, lines: bool) -> str:
    return "".join(
        character if lines and character == "\n" else _written(character) for character in text
    )


def _written(character: str) -> str:
    if unicodedata.category(character) not in _ESCAPED:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

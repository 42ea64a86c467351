"""Plain text in a notebook, its columns kept."""

from __future__ import annotations

from html import escape


def preformatted(text: str, name: str, *, table: bool = False) -> str:
    """`text` as HTML of class `ringlab-<name>`. Long lines wrap between words.

    table: they don't, since what is wrapped stands under another column; a wide one scrolls.
    """
    style = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
    if table:
        style = "white-space:pre;overflow-x:auto"
    return f'<pre class="ringlab-{name}" style="{style}">{escape(text)}</pre>'

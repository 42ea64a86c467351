"""Plain text in a notebook, its columns kept."""

from __future__ import annotations

from html import escape


def preformatted(text: str, name: str) -> str:
    """`text` as HTML of class `ringlab-<name>`. Long lines wrap between words."""
    style = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"
    return f'<pre class="ringlab-{name}" style="{style}">{escape(text)}</pre>'

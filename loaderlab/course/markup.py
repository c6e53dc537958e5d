"""The HTML that all answers of the course are made of."""

from __future__ import annotations

import re
from html import escape


def html(text: str) -> str:
    """Escaped, with `code` set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def plain(text: str) -> str:
    """Return ``text`` without the marks of `code`, which a screen reader would spell."""
    return text.replace("`", "")


def heading(text: str) -> str:
    """Return the heading of an answer of the course: a screen reader goes from one to the next.

    No `<h4>`, which JupyterLab would list among the headings of the lesson.
    """
    return f'<b role="heading" aria-level="4">{html(text)}</b>'


def framed(colour: str, inside: str) -> str:
    """Return the HTML ``inside``, as all answers of the course are shown: with a bar on its left, whose colour says what it is."""
    return f'<div style="border-left:6px solid {colour};padding:0.5em 1em;margin:0.3em 0">{inside}</div>'


def inline(markdown: str) -> str:
    """Return a paragraph of lesson.md as HTML: code, bold and slanted words; of a link, its words."""
    words = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(markdown.split()))
    parts = re.split(r"(`[^`]+`)", words)
    for at in range(0, len(parts), 2):
        text = escape(parts[at], quote=False)
        text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
        parts[at] = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", text)
    return "".join(f"<code>{escape(part[1:-1])}</code>" if at % 2 else part for at, part in enumerate(parts))

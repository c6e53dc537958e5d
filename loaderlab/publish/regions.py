"""The generated regions of a page that is else written by hand: between `<!-- NAME:begin -->` and `<!-- NAME:end -->`."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"^<!-- \w+:begin -->\n|\n<!-- \w+:end -->$", re.MULTILINE)


def has(text: str, name: str) -> bool:
    """Return whether the text has a region of this name."""
    return bool(_region(name).search(text))


def put(text: str, name: str, content: str) -> str:
    """Return the text with this content in its place."""
    return _region(name).sub(lambda match: f"{match[1]}{content}\n{match[2]}", text)


def emptied(text: str) -> str:
    """Return the text without what is generated in it."""
    return _region(r"\w+").sub(r"\1\2", text)


def unmarked(text: str) -> str:
    """Return the text without the comments, and with what stands between them."""
    return _COMMENT.sub("", text)


def _region(name: str) -> re.Pattern[str]:
    return re.compile(f"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)

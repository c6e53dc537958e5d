"""Text from strangers, made fit to be shown: nothing invisible, not endless; and columns of it for the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from wcwidth import wcswidth


def clean(text: str) -> str:
    """``text`` on one line, without control characters, marks of direction and other invisible characters.

    What is no character at all (half of a pair, a byte of a file name that is not UTF-8) becomes "�".
    """
    return " ".join("".join(map(_visible, unicodedata.normalize("NFC", text))).split())


def code(source: str) -> str:
    """``source`` with its lines, where what is invisible stands as an escape, such as ``\\u202e``, and hides nothing."""
    return "".join(c if c in "\n\t" or _visible(c) == c else _escape(c) for c in source.replace("\r\n", "\n"))


def cut(text: str, length: int) -> str:
    """Return the first characters of ``text``: at most ``length``, with an ellipsis where there were more."""
    return text if len(text) <= length else text[: length - 1] + "…"


def brief(text: object, most: int = 80) -> str:
    """``text`` on one line, without what cannot be seen, and cut at ``most`` characters."""
    return cut(clean(str(text)[: 20 * most]), most)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows below each other; the first is the heading."""

    def wide(text: str) -> int:
        return max(0, wcswidth(text))

    widths = [max(wide(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(cell + " " * (most - wide(cell)) for cell, most in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * most for most in widths), *lines[1:]])


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if kind == "Cs":
        return "\ufffd"
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    return "" if kind in ("Cf", "Co", "Cn") else character

"""Text from strangers, made fit to be shown, and columns of it for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from wcwidth import wcswidth

from loaderlab.workshop.grading import shown


def clean(text: object, most: int = 80) -> str:
    """``text`` on one line, without what cannot be seen, and cut at ``most`` characters."""
    return shown.cut(shown.clean(str(text)[: 20 * most]), most)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """The rows below each other; the first is the heading."""

    def wide(text: str) -> int:
        return max(0, wcswidth(text))

    widths = [max(wide(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(cell + " " * (most - wide(cell)) for cell, most in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * most for most in widths), *lines[1:]])

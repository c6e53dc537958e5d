"""Strips of cells with a value each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import (
    EDGE,
    GREY,
    INK,
    PALETTE,
    PLAIN,
    SMALL,
    WIDTH,
    ink_on,
    put_stamp,
)


def strip(
    rows: Mapping[str, Sequence[Any]] | Sequence[Any],
    *,
    text: str,
    stamp: str = "",
) -> Picture:
    """Draw rows of cells with a value each, such as the worker that loaded each batch; equal values look alike.

    A plain sequence is one row without a name. Long rows go on in a second line.
    """
    if not isinstance(rows, Mapping):
        rows = {"": rows}
    known = sorted({value for cells in rows.values() for value in cells}, key=_order)
    colour = {value: PALETTE[i % len(PALETTE)] for i, value in enumerate(known)}
    left = min(300.0, max(text_width(label) for label in rows) + 22) if any(rows) else float(EDGE)
    cell = max([22.0, *(text_width(str(value), SMALL) + 8 for value in known)])
    fit = max(1, int((WIDTH - left - EDGE) / cell))
    lines = [
        (label if begin == 0 else "", cells[begin : begin + fit], begin == 0)
        for label, cells in rows.items()
        for begin in range(0, max(1, len(cells)), fit)
    ]
    height = sum(26 + (6 if first else 0) for _label, _cells, first in lines)
    canvas = Canvas(WIDTH, 8 + height + (18 if stamp else 4))
    top = 8.0
    for label, cells, first in lines:
        top += 6 if first else 0
        canvas.text(left - 8, top + 12, label, PLAIN, INK, "rm")
        for i, value in enumerate(cells):
            fill = colour[value]
            x = left + i * cell
            canvas.box(x, top, x + cell - 2, top + 24, fill, GREY)
            canvas.text(x + cell / 2 - 1, top + 12, str(value), SMALL, ink_on(fill), "mm")
        top += 26
    put_stamp(canvas, stamp)
    return Picture(canvas, text)


def _order(value: Any) -> tuple[bool, Any]:
    return (isinstance(value, str), value)

"""Rows of cells: grids, each cell of a kind, from a handful with a name to thousands of a few pixels; strips, each with a value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import groupby
from typing import Any

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import EDGE, GREY, INK, PALETTE, PLAIN, SMALL, WIDTH, Kind, Legend, ink_on

ROOMY = 6  # pixels from which on a cell has a white border
LARGEST = 24  # pixels of a side of a cell


def grid(
    cells: Sequence[Sequence[Hashable]],
    kinds: Mapping[Any, Kind],
    *,
    text: str,
    row_labels: Sequence[str] = (),
    legend: Sequence[Kind] | None = None,
    lines: Sequence[str] = (),
    height: int = 300,
) -> Picture:
    """Draw rows of cells, as large as `height` and the width of a picture allow.

    `kinds` says how a cell looks; one that is not in it stays blank. `row_labels` stand on the left of the
    rows, as many as there is room for; `lines` of text stand above the grid. The legend shows `kinds`, or
    else the `legend` that is given.
    """
    columns = max((len(row) for row in cells), default=1)
    left = EDGE + max((text_width(label) + 10 for label in row_labels), default=0.0)
    wide = max(2, min(LARGEST, int((WIDTH - left - EDGE) / columns)))
    tall = max(2, min(LARGEST, int(height / max(1, len(cells)))))
    words = Legend(kinds.values() if legend is None else legend)
    top = 6.0 + 20 * len(lines)
    bottom = top + tall * len(cells)
    canvas = Canvas(WIDTH, round(bottom) + 8 + words.height + 6)
    for i, line in enumerate(lines):
        canvas.text(EDGE, 14 + 20 * i, line, PLAIN, INK, "lm")
    colours = {kind: None if look.hatched else look.colour for kind, look in kinds.items()}
    canvas.cells(left, top, wide, tall, [[colours.get(kind) for kind in row] for row in cells])
    every = max(1, -(-14 // tall))
    for y, row in enumerate(cells):
        upper = top + y * tall
        if y < len(row_labels) and y % every == 0:
            canvas.text(left - 8, upper + tall / 2, row_labels[y], PLAIN if tall > 15 else SMALL, INK, "rm")
        for kind, run in groupby(enumerate(row), key=lambda cell: cell[1]):
            look = kinds.get(kind)
            if look and look.hatched:
                places = [x for x, _kind in run]
                start, end = left + places[0] * wide, left + (places[-1] + 1) * wide
                canvas.hatch(start, upper, end, upper + tall, look.colour)
    right = left + wide * columns
    if wide >= ROOMY:
        for x in range(1, columns):
            canvas.line([(left + x * wide, top), (left + x * wide, bottom)], "white", 1)
    if tall >= ROOMY:
        for y in range(1, len(cells)):
            canvas.line([(left, top + y * tall), (right, top + y * tall)], "white", 1)
    canvas.box(left - 1, top - 1, right + 1, bottom + 1, None, GREY)
    words.draw(canvas, left, bottom + 8)
    return Picture(canvas, text)


def strip(rows: Mapping[str, Sequence[Any]] | Sequence[Any], *, text: str) -> Picture:
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
    canvas = Canvas(WIDTH, 8 + height + 4)
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
    return Picture(canvas, text)


def _order(value: Any) -> tuple[bool, Any]:
    return (isinstance(value, str), value)

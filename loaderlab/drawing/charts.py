"""Charts for explorers: lines and areas on linear axes, drawn within the time that a slider leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import (
    EDGE,
    GREY,
    INK,
    PALE,
    PALETTE,
    PLAIN,
    RED,
    SMALL,
    WIDTH,
    Kind,
    Legend,
    put_stamp,
    steady,
    ticks,
)

Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """Points with rising x. `steps`: each value holds until the next x. `area`: filled down to zero."""

    name: str
    points: Sequence[Point]
    colour: str = ""
    area: bool = False
    steps: bool = False


def chart(
    lines: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    text: str,
    limit: float | None = None,
    limit_label: str = "",
    over_label: str = "",
    marks: Mapping[float, str] | None = None,
    stamp: str = "",
    height: int = 300,
    across: float | None = None,
) -> Picture:
    """Draw lines over one x axis. What an area has above `limit` is red and hatched, and called `over_label`.

    `marks` are positions on the x axis with a thin line and a word each. Both axes begin at zero; that of x ends at
    `across`, or with the lines.
    """
    looks = [(line, line.colour or PALETTE[i % len(PALETTE)]) for i, line in enumerate(lines)]
    kinds = [Kind(colour, line.name) for line, colour in looks if line.name]
    if over_label and limit is not None and any(y > limit for ln in lines if ln.area for _x, y in ln.points):
        kinds.append(Kind(RED, over_label, hatched=True))
    legend = Legend(kinds)
    canvas = Canvas(WIDTH, height + (legend.height if legend.lines[0] else 0) + (16 if stamp else 0) + 6)
    across = across or max((x for line in lines for x, _y in line.points), default=1.0) or 1.0
    up = steady(max([limit or 0.0, *(y for line in lines for _x, y in line.points)]) or 1.0)
    values = ticks(up, 6)
    left = EDGE + 6 + max(text_width(f"{value:g}", SMALL) for value in values)
    top, bottom, right = 40.0, height - 44.0, float(WIDTH - EDGE)

    def at(point: Point) -> Point:
        return left + point[0] / across * (right - left), bottom - point[1] / up * (bottom - top)

    canvas.text(EDGE, 12, y_label, PLAIN, INK, "lm")
    for value in values:
        y = at((0, value))[1]
        canvas.line([(left, y), (right, y)], PALE)
        canvas.text(left - 5, y, f"{value:g}", SMALL, GREY, "rm")
    for value in ticks(across, 9):
        x = at((value, 0))[0]
        canvas.line([(x, bottom), (x, bottom + 4)], GREY)
        canvas.text(
            min(x, right - text_width(f"{value:g}", SMALL) / 2), bottom + 12, f"{value:g}", SMALL, GREY, "mm"
        )
    canvas.text((left + right) / 2, bottom + 30, x_label, PLAIN, INK, "mm")
    for line, colour in looks:
        _draw(canvas, line, colour, at, limit)
    for x, word in (marks or {}).items():
        place = at((x, 0))[0]
        canvas.line([(place, top), (place, bottom)], INK)
        room = text_width(word, SMALL) / 2
        canvas.text(min(max(place, left + room), right - room), top - 8, word, SMALL, INK, "mm")
    if limit is not None:
        y = at((0, limit))[1]
        for dash in range(int(left), int(right), 10):
            canvas.line([(dash, y), (min(dash + 6, right), y)], INK, 1.5)
        # Readable on what is hatched, too.
        canvas.box(right - text_width(limit_label, SMALL) - 4, y - 15, right, y - 2, "white")
        canvas.text(right, y - 8, limit_label, SMALL, INK, "rm")
    if legend.lines[0]:
        legend.draw(canvas, left, height - 2)
    put_stamp(canvas, stamp)
    return Picture(canvas, text)


def _draw(canvas: Canvas, line: Line, colour: str, at: object, limit: float | None) -> None:
    assert callable(at)
    points = list(line.points)
    if line.steps:
        points = [p for (x, y), (later, _y) in pairwise(points) for p in ((x, y), (later, y))] + points[-1:]
    if line.area:
        for (x, y), (later, _y) in pairwise(points):
            (start, top), (end, bottom) = at((x, y)), at((later, 0))
            if end > start and y > 0:
                canvas.box(start, top, end, bottom, colour)
                if limit is not None and y > limit:
                    ceiling = at((x, limit))[1]
                    canvas.box(start, top, end, ceiling, "white")
                    canvas.hatch(start, top, end, ceiling, RED)
    elif len(points) > 1:
        canvas.line([at(point) for point in points], colour, 2)
    for x, y in points if len(points) == 1 else ():
        px, py = at((x, y))
        canvas.box(px - 3, py - 3, px + 3, py + 3, colour)

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


@dataclass(frozen=True)
class Axes:
    """Where numbers lie on a canvas: both axes begin at zero, x ends at ``across`` and y at ``up``."""

    across: float
    up: float
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def under(cls, across: float, highest: float, height: int) -> Axes:
        """Return axes below which ``highest`` fits, with room for their numbers in a chart of ``height`` pixels."""
        up = steady(highest or 1.0)
        left = EDGE + 6 + max(text_width(f"{value:g}", SMALL) for value in ticks(up, 6))
        return cls(across, up, left, 40.0, float(WIDTH - EDGE), height - 44.0)

    def at(self, point: Point) -> Point:
        x = self.left + point[0] / self.across * (self.right - self.left)
        return x, self.bottom - point[1] / self.up * (self.bottom - self.top)

    def draw(self, canvas: Canvas, x_label: str, y_label: str) -> None:
        canvas.text(EDGE, 12, y_label, PLAIN, INK, "lm")
        for value in ticks(self.up, 6):
            y = self.at((0, value))[1]
            canvas.line([(self.left, y), (self.right, y)], PALE)
            canvas.text(self.left - 5, y, f"{value:g}", SMALL, GREY, "rm")
        for value in ticks(self.across, 9):
            x = self.at((value, 0))[0]
            canvas.line([(x, self.bottom), (x, self.bottom + 4)], GREY)
            inside = min(x, self.right - text_width(f"{value:g}", SMALL) / 2)
            canvas.text(inside, self.bottom + 12, f"{value:g}", SMALL, GREY, "mm")
        canvas.text((self.left + self.right) / 2, self.bottom + 30, x_label, PLAIN, INK, "mm")


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
    axes = Axes.under(across, max([limit or 0.0, *(y for line in lines for _x, y in line.points)]), height)
    axes.draw(canvas, x_label, y_label)
    for line, colour in looks:
        _draw(canvas, axes, line, colour, limit)
    for x, word in (marks or {}).items():
        _mark(canvas, axes, x, word)
    if limit is not None:
        _limit(canvas, axes, limit, limit_label)
    if legend.lines[0]:
        legend.draw(canvas, axes.left, height - 2)
    put_stamp(canvas, stamp)
    return Picture(canvas, text)


def _mark(canvas: Canvas, axes: Axes, x: float, word: str) -> None:
    place = axes.at((x, 0))[0]
    canvas.line([(place, axes.top), (place, axes.bottom)], INK)
    room = text_width(word, SMALL) / 2
    canvas.text(min(max(place, axes.left + room), axes.right - room), axes.top - 8, word, SMALL, INK, "mm")


def _limit(canvas: Canvas, axes: Axes, limit: float, label: str) -> None:
    y = axes.at((0, limit))[1]
    for dash in range(int(axes.left), int(axes.right), 10):
        canvas.line([(dash, y), (min(dash + 6, axes.right), y)], INK, 1.5)
    # Readable on what is hatched, too.
    canvas.box(axes.right - text_width(label, SMALL) - 4, y - 15, axes.right, y - 2, "white")
    canvas.text(axes.right, y - 8, label, SMALL, INK, "rm")


def _draw(canvas: Canvas, axes: Axes, line: Line, colour: str, limit: float | None) -> None:
    points = list(line.points)
    if line.steps:
        points = [p for (x, y), (later, _y) in pairwise(points) for p in ((x, y), (later, y))] + points[-1:]
    if line.area:
        for (x, y), (later, _y) in pairwise(points):
            (start, top), (end, bottom) = axes.at((x, y)), axes.at((later, 0))
            if end > start and y > 0:
                canvas.box(start, top, end, bottom, colour)
                if limit is not None and y > limit:
                    ceiling = axes.at((x, limit))[1]
                    canvas.box(start, top, end, ceiling, "white")
                    canvas.hatch(start, top, end, ceiling, RED)
    elif len(points) > 1:
        canvas.line([axes.at(point) for point in points], colour, 2)
    for x, y in points if len(points) == 1 else ():
        px, py = axes.at((x, y))
        canvas.box(px - 3, py - 3, px + 3, py + 3, colour)

"""A sheet on which bars, lines and text are put: it only records them, and becomes an SVG or a PNG when one is asked for.

A slider leaves 100 ms for a new picture. Recording takes less than one, and needs nothing but the standard library;
matplotlib needs about 1 ms for every piece of text, and a timeline has a hundred.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loaderlab.drawing import svg
from loaderlab.drawing.operations import Anchor, Box, Cells, Disc, Hatch, Operation, Polyline, Spot, Text


class Canvas:
    """A white sheet of `width` × `height` pixels, and what was drawn on it: its `operations`, in their order."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.operations: list[Operation] = []
        self.spots: list[Spot] = []

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Canvas):
            return NotImplemented
        return (self.width, self.height, self.operations) == (other.width, other.height, other.operations)

    __hash__ = None  # type: ignore[assignment]  # it changes while it is drawn on

    def box(
        self, left: float, top: float, right: float, bottom: float, fill: str | None, edge: str | None = None
    ) -> None:
        """Draw a rectangle, at least one pixel wide, so that nothing that happened is invisible."""
        self.operations.append(Box(left, top, right, bottom, fill, edge))

    def hatch(
        self, left: float, top: float, right: float, bottom: float, colour: str, gap: float = 5
    ) -> None:
        """Diagonal lines within a rectangle, with its outline: readable without the colour."""
        self.operations.append(Hatch(left, top, right, bottom, colour, gap))

    def line(self, points: Iterable[tuple[float, float]], colour: str, width: float = 1) -> None:
        """Draw a line through `points`, `width` pixels wide."""
        self.operations.append(Polyline(tuple(points), colour, width))

    def disc(self, x: float, y: float, radius: float, fill: str, edge: str, width: float = 1) -> None:
        """Draw a filled circle around a point, with an edge of `width` pixels within its `radius`."""
        self.operations.append(Disc(x, y, radius, fill, edge, width))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        colour: str = "#222222",
        anchor: Anchor = "lm",
        bold: bool = False,
    ) -> None:
        """Text at a point; `anchor` says which point of it: its left end, its middle or its right end (l m r), at half height."""
        self.operations.append(Text(x, y, text, size, colour, anchor, bold))

    def cells(
        self, left: float, top: float, wide: int, tall: int, rows: Sequence[Sequence[str | None]]
    ) -> None:
        """Draw rows of rectangles of `wide` × `tall` pixels side by side: the colour of each, None where the sheet stays white."""
        self.operations.append(Cells(left, top, wide, tall, tuple(map(tuple, rows))))

    def spot(self, left: float, top: float, right: float, bottom: float, text: str) -> None:
        """Let a part of the sheet say ``text`` under a pointer; a later one lies above an earlier one."""
        self.spots.append(Spot(left, top, right, bottom, text))

    def with_below(self, other: Canvas) -> Canvas:
        """Return a sheet with what is drawn on this one and, below it, what is drawn on ``other``."""
        sheet = Canvas(max(self.width, other.width), self.height + other.height)
        sheet.operations += self.operations
        sheet.operations += [operation.moved(self.height) for operation in other.operations]
        sheet.spots += [*self.spots, *(spot.moved(self.height) for spot in other.spots)]
        return sheet

    def svg(self, title: str = "") -> str:
        """Return the drawing as an SVG, which a screen reader calls ``title``."""
        return svg.drawn(self.width, self.height, self.operations, title)

    def png(self) -> bytes:
        """Return the drawing as a PNG of `SCALE` times as many pixels, with few colours, hence small. Needs Pillow and matplotlib's fonts."""
        from loaderlab.drawing import png

        return png.shrink(png.drawn(self.width, self.height, self.operations))

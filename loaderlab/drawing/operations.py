"""The operations of a canvas: a record of each, in the pixels that the reader sees, from the upper left corner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

SCALE = 2  # pixels of a PNG to one that the reader sees, for sharp letters on dense screens

Anchor = Literal["lm", "mm", "rm"]


@dataclass(frozen=True)
class Rectangle:
    """A part of the sheet, by its edges."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, down: float) -> Self:
        return replace(self, top=self.top + down, bottom=self.bottom + down)


@dataclass(frozen=True)
class Spot(Rectangle):
    """A part of the sheet that says ``text`` under a pointer, in a front end that has one. Nothing of it is drawn."""

    text: str


@dataclass(frozen=True)
class Box(Rectangle):
    """A rectangle; without `fill` only its `edge`, of half a pixel, which lies within it."""

    fill: str | None
    edge: str | None = None

    @property
    def corners(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in pixels of the PNG: at least two wide and one high, so that nothing is invisible."""
        x0, y0, x1, y1 = (round(v * SCALE) for v in (self.left, self.top, self.right, self.bottom))
        return x0, y0, max(x0 + 2, x1), max(y0 + 1, y1)


@dataclass(frozen=True)
class Hatch(Rectangle):
    """A rectangle of diagonal lines, `gap` pixels from one to the next along its edge, with an edge of half a pixel."""

    colour: str
    gap: float = 5

    @property
    def corners(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in pixels of the PNG: at least two wide and high."""
        x0, y0, x1, y1 = (round(v * SCALE) for v in (self.left, self.top, self.right, self.bottom))
        return x0, y0, max(x0 + 2, x1), max(y0 + 2, y1)


@dataclass(frozen=True)
class Polyline:
    """A line through `points`, `width` pixels wide."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1

    def moved(self, down: float) -> Polyline:
        return replace(self, points=tuple((x, y + down) for x, y in self.points))

    @property
    def thickness(self) -> int:
        """The thickness in pixels of the PNG."""
        return max(1, round(self.width * SCALE))


@dataclass(frozen=True)
class Disc:
    """A filled circle with an edge that is `width` pixels wide and lies within it."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str
    width: float = 1

    def moved(self, down: float) -> Disc:
        return replace(self, y=self.y + down)


@dataclass(frozen=True)
class Text:
    """A line of text at a point, which is its left end, its middle or its right end, halfway between top and bottom."""

    x: float
    y: float
    text: str
    size: float = 12
    colour: str = "#222222"
    anchor: Anchor = "lm"
    bold: bool = False

    def moved(self, down: float) -> Text:
        return replace(self, y=self.y + down)


@dataclass(frozen=True)
class Cells:
    """Rows of rectangles without a gap, each `wide` × `tall` pixels: a colour each, or None where nothing is drawn."""

    left: float
    top: float
    wide: int
    tall: int
    rows: tuple[tuple[str | None, ...], ...]

    def moved(self, down: float) -> Cells:
        return replace(self, top=self.top + down)


Operation = Box | Hatch | Polyline | Disc | Text | Cells

"""Lines over places that lie side by side, as SVG: a guess while it is drawn, and beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from loaderlab.course.numerals import digits

GUESSED, MEASURED = "#e69f00", "#0072b2"  # orange and blue; the words say the same
# In px: the axis, the room of a place, that of the numbers on the left, that above the axis and below it.
HEIGHT, COLUMN, LEFT, EDGE = 180, 76, 52, 14
NAMES = 20  # px for the names of the places, where they are shown

Points = Sequence[float | None]  # a number for each place, None where there is none


ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # where a handle stops, in every power of ten: ISO 3, R″10
PARTS = 24  # of a linear axis: where a handle stops


@dataclass(frozen=True)
class Scale:
    """Heights on an axis where powers of ten are as far from one another: from 10 ** ``low`` to 10 ** ``high``."""

    low: int
    high: int

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Scale:
        """Return the smallest scale with room for these numbers, of which only the positive ones have a place."""
        exponents = [math.log10(number) for number in numbers if number > 0] or [0.0]
        low = math.floor(min(exponents))
        return cls(low, max(low + 1, math.ceil(max(exponents))))

    def share(self, number: float) -> float:
        """Return the height of a number on the axis, from 0 to 1; the end of the axis where it lies beyond."""
        exponent = math.log10(number) if number > 0 else self.low
        return min(1.0, max(0.0, (exponent - self.low) / (self.high - self.low)))

    @property
    def marks(self) -> list[float]:
        """The powers of ten."""
        return [10.0**exponent for exponent in range(self.low, self.high + 1)]

    @property
    def stops(self) -> list[float]:
        """Round numbers."""
        found = [number * 10**exponent for exponent in range(self.low, self.high) for number in ROUND]
        return [*found, 10**self.high]


@dataclass(frozen=True)
class Linear:
    """Heights on an axis from 0 to ``top``: where steps are as high as one another, they look so."""

    top: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Linear:
        """Return the smallest axis with a round end and room for these numbers."""
        largest = max((number for number in numbers if number > 0), default=1.0)
        power = 10.0 ** math.floor(math.log10(largest))
        return cls(
            next(step * power for step in (1, 1.2, 1.6, 2, 2.4, 3, 4, 6, 8, 10) if step * power >= largest)
        )

    def share(self, number: float) -> float:
        """Return the height of a number on the axis, from 0 to 1; the end of the axis where it lies beyond."""
        return min(1.0, max(0.0, number / self.top))

    @property
    def marks(self) -> list[float]:
        """Zero, the top, and three between."""
        return [self.top * part / 4 for part in range(5)]

    @property
    def stops(self) -> list[float]:
        """So many as there are parts, and zero."""
        return [round(self.top * part / PARTS, 9) for part in range(PARTS + 1)]


# The height of a number from 0 to 1, the marks beside it, and where the handles of a drawn curve stop.
Axis = Scale | Linear


def sketch(axis: Axis, guess: Points, measured: Points, places: Sequence[str], colours: str) -> str:
    """Return the SVG of a guess, dashed, over what was measured, and below them the names of the places.

    ``colours`` is CSS.
    """
    count = max(map(len, (guess, measured, places)))
    width, below = LEFT + COLUMN * count, EDGE + HEIGHT
    centres = [LEFT + COLUMN * (at + 0.5) for at in range(count)]
    parts = []
    for number in axis.marks:
        y = below - HEIGHT * axis.share(number)
        parts.append(f'<path d="M{LEFT} {y:g}H{width}" stroke="currentColor" opacity="0.25"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{digits(number)}</text>')
    for x, place in zip(centres, places, strict=False):
        parts.append(f'<text x="{x:g}" y="{below + NAMES}" text-anchor="middle">{escape(place)}</text>')
    for numbers, colour, dash, corner in ((measured, MEASURED, "none", 0), (guess, GUESSED, "6 4", 5)):
        dots = [
            (x, below - HEIGHT * axis.share(number))
            for x, number in zip(centres, numbers, strict=False)
            if number is not None
        ]
        path = " ".join(f"{x:g},{y:.1f}" for x, y in dots)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="3" stroke-dasharray="{dash}"/>'
        )
        side = 10 if corner else 13  # where both are the same, one sees both
        parts += [
            f'<rect x="{x - side / 2:g}" y="{y - side / 2:.1f}" width="{side}" height="{side}" rx="{corner}" fill="{colour}"/>'
            for x, y in dots
        ]
    height = below + EDGE + NAMES
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + EDGE}" height="{height}" font-family="sans-serif" '
        f'font-size="12" fill="currentColor" style="{colours}">{"".join(parts)}</svg>'
    )

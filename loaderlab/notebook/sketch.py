"""Lines over places that lie side by side, as SVG: a guess while it is drawn, and beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from loaderlab.course.prediction import digits

GUESSED, MEASURED = "#e69f00", "#0072b2"  # orange and blue; the words say the same
# In px: the axis, the room of a place, that of the numbers on the left, that above the axis and below it.
HEIGHT, COLUMN, LEFT, EDGE = 180, 76, 52, 14
NAMES = 20  # px for the names of the places, where they are shown

Points = Sequence[float | None]  # a number for each place, None where there is none


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


def sketch(
    scale: Scale,
    guess: Points,
    measured: Points = (),
    places: Sequence[str] = (),
    colours: str = "",
) -> str:
    """Return the SVG of a guess, dashed, over what was measured, and below them the names of the places.

    ``colours`` is CSS; without it the numbers have the colour of the text around, and there is no ground.
    """
    count = max(map(len, (guess, measured, places)))
    width, below = LEFT + COLUMN * count, EDGE + HEIGHT
    centres = [LEFT + COLUMN * (at + 0.5) for at in range(count)]
    parts = []
    for exponent in range(scale.low, scale.high + 1):
        y = below - HEIGHT * scale.share(10.0**exponent)
        parts.append(f'<path d="M{LEFT} {y:g}H{width}" stroke="currentColor" opacity="0.25"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{digits(10.0**exponent)}</text>')
    for x, place in zip(centres, places, strict=False):
        parts.append(f'<text x="{x:g}" y="{below + NAMES}" text-anchor="middle">{escape(place)}</text>')
    for numbers, colour, dash, corner in ((measured, MEASURED, "none", 0), (guess, GUESSED, "6 4", 5)):
        dots = [
            (x, below - HEIGHT * scale.share(number))
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
    height = below + EDGE + (NAMES if places else 0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + EDGE}" height="{height}" font-family="sans-serif" '
        f'font-size="12" fill="currentColor" style="{colours}">{"".join(parts)}</svg>'
    )

"""The style that all pictures share: a size, the colours, a legend, round values for an axis.

The colours are those of Okabe and Ito, which stay apart for colour-blind readers, lightened or darkened until lightness
alone tells them apart; a hatch, a marker or a number says the same as each colour. The background is white in light
and in dark notebooks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width

WIDTH = 800  # pixels
EDGE = 14  # pixels that stay white on the left and on the right
SMALL, PLAIN = 11.5, 12  # sizes of text: 10 pixels and more where a picture is shown 700 wide

INK, GREY, PALE = "#222222", "#666666", "#dddddd"
DARK, BLUE, RED, GREEN = "#3a3a3a", "#005a99", "#cc3311", "#009e73"
PINK, ORANGE, SKY, YELLOW = "#d585ad", "#eda50a", "#93d0f2", "#f0e442"
PALETTE = (BLUE, ORANGE, GREEN, YELLOW, RED, SKY, PINK, DARK)  # neighbours differ most
_DARK = {BLUE, GREEN, RED, DARK}


@dataclass(frozen=True)
class Kind:
    """A look of bars or areas and its meaning: a colour, the words of the legend, filled or hatched."""

    colour: str
    words: str
    hatched: bool = False


def ink_on(colour: str) -> str:
    """Return the colour of letters that can be read on `colour`."""
    return "white" if colour in _DARK else INK


def ticks(length: float, most: int) -> list[float]:
    """Return at most `most` round values from 0 to `length`."""
    if length <= 0:
        return [0.0]
    raw = length / max(1, most - 1)
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * f for f in (1, 2, 5, 10) if power * f >= raw * (1 - 1e-9))
    return [i * step for i in range(int(length / step + 1e-9) + 1)]


def steady(length: float) -> float:
    """Return the end of an axis that has to show ``length``: a round value, so that it stays put until it must move."""
    power = 10 ** math.floor(math.log10(length)) if length > 0 else 1.0
    return next(f * power for f in (1, 1.5, 2, 3, 4, 6, 8, 10) if f * power >= length * (1 - 1e-9))


class Legend:
    """The meaning of the looks, in as many lines as the words need."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self.lines: list[list[Kind]] = [[]]
        used = 0.0
        for kind in kinds:
            width = 38 + text_width(kind.words, SMALL)
            if used + width > WIDTH - 2 * EDGE and self.lines[-1]:
                self.lines.append([])
                used = 0.0
            self.lines[-1].append(kind)
            used += width

    @property
    def height(self) -> int:
        return 18 * len(self.lines)

    def draw(self, canvas: Canvas, left: float, top: float) -> None:
        """Draw it from `top` on, each line at `left`, or further left where it needs the room."""
        for line in self.lines:
            width = sum(38 + text_width(kind.words, SMALL) for kind in line)
            x = min(left, WIDTH - EDGE - width)
            for kind in line:
                if kind.hatched:
                    canvas.hatch(x, top + 3, x + 18, top + 15, kind.colour, 4 if kind.colour == GREY else 5)
                else:
                    canvas.box(x, top + 3, x + 18, top + 15, kind.colour)
                canvas.text(x + 24, top + 9, kind.words, SMALL)
                x += 38 + text_width(kind.words, SMALL)
            top += 18


def put_stamp(canvas: Canvas, stamp: str) -> None:
    """Write the source of the figures at the lower right."""
    if stamp:
        canvas.text(WIDTH - EDGE, canvas.height - 10, stamp, SMALL, GREY, "rm")

"""Panels below each other that share one axis of time: the frame of tracks and timelines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import EDGE, GREY, SMALL, WIDTH, Kind, Legend, put_stamp, ticks

Draw = Callable[[Canvas, float, float, float], None]

_AXIS = 24  # pixels of its height


def over_time(
    panels: Sequence[tuple[int, Draw]],
    labels: Iterable[str],
    length: float,
    kinds: Iterable[Kind],
    *,
    text: str,
    stamp: str,
) -> Picture:
    """Draw the panels with their axis from 0 to ``length`` ms, the legend of ``kinds``, and the stamp.

    A panel is its height in pixels, and what draws it: ``draw(canvas, left, top, per_ms)``, with pixels to a ms.
    ``labels``: what stands to the left of ``left``.
    """
    left = max(map(text_width, labels), default=0) + 18
    per_ms = (WIDTH - left - EDGE) / max(length, 1e-9)
    legend = Legend(kinds)
    bottom = sum(height for height, _draw in panels)
    canvas = Canvas(WIDTH, bottom + _AXIS + legend.height + (16 if stamp else 0) + 6)
    top = 0
    for height, draw in panels:
        draw(canvas, left, top, per_ms)
        top += height
    for value in ticks(length, 9):
        x = left + value * per_ms
        canvas.line([(x, bottom), (x, bottom + 4)], GREY)
        if x < WIDTH - 60:
            canvas.text(x, bottom + 12, f"{value:g}", SMALL, GREY, "mm")
    canvas.text(WIDTH - EDGE, bottom + 12, "ms", SMALL, GREY, "rm")
    legend.draw(canvas, left, bottom + _AXIS)
    put_stamp(canvas, stamp)
    return Picture(canvas, text)

"""Tracks: what happens when, on several rows that share one axis of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.over_time import over_time
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import EDGE, INK, PALE, PLAIN, SMALL, WIDTH, Kind, ink_on

ROW = 26  # pixels


@dataclass(frozen=True)
class Bar:
    """Something of the kind `kind` that lasts from `start` to `end`; `label` is drawn where there is room."""

    start: float
    end: float
    kind: str
    label: str = ""


def tracks(
    panels: Mapping[str, Mapping[str, Sequence[Bar]]],
    kinds: Mapping[str, Kind],
    *,
    text: str,
    stamp: str = "",
    until: float | None = None,
) -> Picture:
    """Draw one panel for each title ("" for none), one row in it for each name, and the bars of that row.

    All panels share their axis, which begins at 0, and ends at `until` with all that goes on; without it, it holds
    everything. `kinds` says how each kind looks; the legend shows those that occur.
    """
    if until is not None:
        panels = {
            title: {name: _before(until, bars) for name, bars in panel.items()}
            for title, panel in panels.items()
        }
    rows = [(name, bars) for panel in panels.values() for name, bars in panel.items()]
    length = until or max((bar.end for _name, bars in rows for bar in bars), default=1.0)
    occurring = {bar.kind for _name, bars in rows for bar in bars}
    return over_time(
        [
            (_head(title) + ROW * len(panel) + 6, partial(_panel, title, panel, kinds))
            for title, panel in panels.items()
        ],
        [name for name, _bars in rows],
        length,
        [look for name, look in kinds.items() if name in occurring],
        text=text,
        stamp=stamp,
    )


def _before(until: float, bars: Sequence[Bar]) -> list[Bar]:
    return [replace(bar, end=min(bar.end, until)) for bar in bars if bar.start < until]


def _head(title: str) -> int:
    """Pixels above the rows of a panel."""
    return 24 if title else 6


def _panel(
    title: str,
    panel: Mapping[str, Sequence[Bar]],
    kinds: Mapping[str, Kind],
    canvas: Canvas,
    left: float,
    top: float,
    per_ms: float,
) -> None:
    if title:
        canvas.text(EDGE, top + 12, title, PLAIN, INK, "lm", bold=True)
    top += _head(title)
    for name, bars in panel.items():
        canvas.text(left - 8, top + ROW / 2, name, PLAIN, INK, "rm")
        canvas.line([(left, top + ROW), (WIDTH - EDGE, top + ROW)], PALE)
        for bar in bars:
            _bar(canvas, bar, kinds[bar.kind], left, top + 2, per_ms)
        top += ROW


def _bar(canvas: Canvas, bar: Bar, look: Kind, left: float, top: float, per_ms: float) -> None:
    start, end = left + bar.start * per_ms, left + bar.end * per_ms
    if look.hatched:
        if end - start > 1:
            canvas.hatch(start, top, end, top + ROW - 4, look.colour)
        return
    canvas.box(start, top, end, top + ROW - 4, look.colour, "white" if end - start > 2 else None)
    if bar.label and end - start > text_width(bar.label, SMALL) + 3:
        canvas.text((start + end) / 2, top + (ROW - 4) / 2, bar.label, SMALL, ink_on(look.colour), "mm")

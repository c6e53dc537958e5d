"""A curve to draw: above each typed number an upright slider; the handles are the points of the line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loaderlab.course.prediction import digits, read
from loaderlab.i18n.errors import LabError
from loaderlab.notebook.sketch import COLUMN, EDGE, HEIGHT, LEFT, Scale, sketch

STYLE = Path(__file__).with_name("curve_field.css")
SCALE = Scale(0, 3)  # the same for all curves: it tells nothing of the answer
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # where a handle stops, in every power of ten: ISO 3, R″10
STOPS = [number * 10**exponent for exponent in range(SCALE.low, SCALE.high) for number in ROUND]
STOPS.append(10**SCALE.high)


class Curve:
    """The widgets that draw what stands in ``fields``, with ipywidgets 7 and 8; ``box`` holds both.

    A handle that was not moved stands at the bottom, and its field is empty: that is no guess.
    """

    def __init__(self, widgets: Any, fields: Sequence[Any]) -> None:
        self.fields, self.drawn = fields, widgets.HTML()
        self.sliders = [
            widgets.IntSlider(
                max=len(STOPS) - 1,
                orientation="vertical",
                readout=False,
                layout={
                    "height": f"{HEIGHT + 2 * EDGE}px",
                    "width": f"{COLUMN}px",
                    "padding": f"{EDGE}px 0",
                    "margin": "0",
                },
            )
            for _field in fields
        ]
        columns = []
        for slider, field in zip(self.sliders, fields, strict=True):
            slider.observe(lambda change, field=field: _slid(field, change["new"]), names="value")
            field.observe(lambda _change: self._draw(), names="value")
            columns.append(widgets.VBox([slider, field], layout={"width": f"{COLUMN}px"}))
            columns[-1].add_class("lab-place")
        row = widgets.Box(columns, layout={"padding": f"0 0 0 {LEFT}px"})
        self.box = widgets.Box([self.drawn, row])
        self.box.add_class("lab-curve")
        self._draw()

    def _draw(self) -> None:
        numbers = [_number(field) for field in self.fields]
        for slider, number in zip(self.sliders, numbers, strict=True):
            if number is None:
                slider.add_class("lab-open")
            else:
                slider.remove_class("lab-open")
                slider.value = _stop(number)
        self.drawn.value = sketch(SCALE, numbers)


def _slid(field: Any, stop: int) -> None:
    """Follow the slider from stop to stop: a number between its stops it rounds, and reports as a move that nobody made."""
    number = _number(field)
    if number is None or stop != _stop(number):
        field.value = digits(STOPS[stop])


def _number(field: Any) -> float | None:
    try:
        return read(field.value)
    except LabError:  # nothing, or what the field itself says is no number
        return None


def _stop(number: float) -> int:
    return min(range(len(STOPS)), key=lambda stop: abs(SCALE.share(STOPS[stop]) - SCALE.share(number)))

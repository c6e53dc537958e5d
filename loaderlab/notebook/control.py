"""The control that sets one parameter of a scene: slider and number box, list, or checkbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loaderlab.drawing.scene import Parameter


class Control:
    """The widgets of one parameter, with ipywidgets 7 and 8: ``box`` is what is shown of them.

    ``moved(parameter, value)`` is called with what the learner sets; what was typed may be out of range.
    """

    def __init__(self, parameter: Parameter, moved: Callable[[Parameter, Any], None]) -> None:
        import ipywidgets as widgets

        self.value, self._parameter, self._moved = parameter.default, parameter, moved
        self.parts = list(self._made(widgets))
        self.box = widgets.Box(self.parts)
        self.box.add_class("lab-control")

    def show(self, value: Any) -> None:
        """Have all parts show ``value``, which the learner did not set here."""
        self.value = value
        for part in self.parts:
            part.value = value

    def _made(self, widgets: Any) -> tuple[Any, ...]:
        p = self._parameter
        label = {"value": p.default, "description": p.description, "style": {"description_width": "initial"}}
        if p.choices:
            chosen = widgets.Dropdown(options=p.options, **label)
        elif isinstance(p.default, bool):
            chosen = widgets.Checkbox(indent=False, **label)
        else:
            # A box with limits would clamp without a word, and one for whole numbers reads 12.7 as 127.
            chosen = widgets.FloatText(step=p.step, **label)
        chosen.observe(self._chosen, names="value")
        if not p.is_number:
            return (chosen,)
        kind = widgets.IntSlider if p.whole else widgets.FloatSlider
        slider = kind(value=p.default, min=p.low, max=p.high, step=p.step, readout=False)
        slider.observe(self._slid, names="value")
        return (slider, chosen)

    def _chosen(self, change: dict[str, Any]) -> None:
        if change["new"] != self.value:
            self._moved(self._parameter, change["new"])

    def _slid(self, change: dict[str, Any]) -> None:
        """Follow the slider from step to step: a value between its steps it rounds, and reports as a move that nobody made."""
        step = self._parameter.on_step(change["new"])
        if step != self._parameter.on_step(self.value):
            self._moved(self._parameter, step)

"""Sliders + a scene = an explorer: a picture and a sentence that follow every move.

A scene is a pure function from parameters to a picture; the explorer knows nothing of what it shows. It
speaks through `widgets.Image` and `widgets.HTML` only, which every front end and every notebook test can
deal with, and it can be driven without a browser: ``explorer.set(num_workers=8)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loaderlab.card import html
from loaderlab.errors import LabError
from loaderlab.language import number
from loaderlab.language import translate as _

if TYPE_CHECKING:
    from loaderlab.drawing import Picture

VIEW = "application/vnd.jupyter.widget-view+json"
LABEL_WIDTH = 32  # characters


@dataclass(frozen=True)
class Parameter:
    """What one control sets: a slider from `low` to `high`, a checkbox (bool default) or a list of `choices`.

    `label` is a marked message, with its unit at most 32 characters in every language; a unit or a choice
    that is not the same in every language is one as well. Whole numbers for
    default, low, high and step make a slider of whole numbers.
    """

    name: str
    label: str
    default: Any
    low: float = 0
    high: float = 1
    step: float = 1
    unit: str = ""
    choices: tuple[Any, ...] = ()

    @property
    def description(self) -> str:
        """The label beside the control, in the current language."""
        return f"{_(self.label)} ({_(self.unit)})" if self.unit else _(self.label)

    @property
    def options(self) -> list[tuple[str, Any]]:
        """What a list shows for each of the choices, and the choice."""
        return [(_(str(choice)), choice) for choice in self.choices]

    @property
    def whole(self) -> bool:
        return all(isinstance(value, int) for value in (self.default, self.low, self.high, self.step))

    def check(self, value: Any) -> Any:
        """`value` if this parameter can have it; raises :class:`LabError`, which says what it can have."""
        if self.choices:
            fine = value in self.choices
            expected = _("one of {choices}").format(choices=", ".join(map(str, self.choices)))
        elif isinstance(self.default, bool):
            fine = isinstance(value, bool)
            expected = _("True or False")
        else:
            fine = isinstance(value, int if self.whole else int | float) and not isinstance(value, bool)
            fine = fine and self.low <= value <= self.high
            form = (
                _("a whole number from {low} to {high}") if self.whole else _("a number from {low} to {high}")
            )
            expected = form.format(low=number(self.low), high=number(self.high))
        if not fine:
            raise LabError(
                _("{name} cannot be {value!r}. Expected: {expected}.").format(
                    name=self.name, value=value, expected=expected
                )
            )
        return value


@dataclass(frozen=True)
class Scene:
    """`draw(**values)` makes the picture from the parameters alone; `measure(**values)` does it for real."""

    name: str
    parameters: tuple[Parameter, ...]
    draw: Callable[..., Picture]
    measure: Callable[..., Picture] | None = None


class Explorer:
    """The controls of a scene, its picture and its sentence.

    ``values``, ``picture`` and ``sentence`` are what is shown now.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.values: dict[str, Any] = {p.name: p.default for p in scene.parameters}
        self.picture = scene.draw(**self.values)
        self._panel: _Panel | None = None  # made when first shown: without a front end there is no need

    @property
    def sentence(self) -> str:
        """What the picture shows, in words."""
        return self.picture.text

    def set(self, **values: Any) -> Explorer:
        """Move controls as a learner would, all at once; raises :class:`LabError` and then moves none."""
        known = {p.name: p for p in self.scene.parameters}
        for name, value in values.items():
            if name not in known:
                raise LabError(
                    _(
                        "There is no control {name!r}. The controls are: {known}. Use one of these names."
                    ).format(name=name, known=", ".join(known))
                )
            known[name].check(value)
        self.values |= values
        self.picture = self.scene.draw(**self.values)
        self._show()
        return self

    def reset(self) -> Explorer:
        """Every control back to where it was at first."""
        return self.set(**{p.name: p.default for p in self.scene.parameters})

    def measure(self) -> Picture:
        """Run the same setting for real, and show it beside the prediction; takes as long as it takes."""
        if self.scene.measure is None:
            raise LabError(_("This explorer only predicts; there is nothing to measure."))
        if self._panel:
            self._panel.busy(_("Measuring …"))
        try:
            self.picture = self.scene.measure(**self.values)
        finally:
            self._show()
        return self.picture

    def _show(self) -> None:
        if self._panel:
            self._panel.show(self.values, self.picture)

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Controls for a live notebook; the picture and the sentence for one that is only read."""
        if self._panel is None:
            self._panel = _Panel(self)
            self._show()
        data, metadata = self.picture._repr_mimebundle_()
        view = {"version_major": 2, "version_minor": 0, "model_id": self._panel.box.model_id}
        return {VIEW: view, **data}, metadata


class _Panel:
    """The widgets of one explorer; works with ipywidgets 7 and 8."""

    def __init__(self, explorer: Explorer) -> None:
        import ipywidgets as widgets

        self.explorer = explorer
        self.quiet = False
        self.controls = {p.name: self._control(widgets, p) for p in explorer.scene.parameters}
        self.image = widgets.Image(format="png", layout={"width": "800px", "max_width": "100%"})
        self.words = widgets.HTML()
        self.words.add_class("lab-sentence")
        self.image.add_class("lab-picture")
        buttons = [self._button(widgets, _("Reset"), "lab-reset", explorer.reset)]
        if explorer.scene.measure:
            buttons.append(self._button(widgets, _("Measure"), "lab-measure", explorer.measure))
        self.buttons = buttons
        self.box = widgets.VBox(
            [
                widgets.HBox(
                    list(self.controls.values()), layout={"flex_flow": "row wrap", "max_width": "840px"}
                ),
                widgets.HBox(buttons),
                self.image,
                self.words,
            ]
        )
        self.box.add_class("lab-explorer")

    def _control(self, widgets: Any, p: Parameter) -> Any:
        common: dict[str, Any] = {
            "value": p.default,
            "description": p.description,
            "style": {"description_width": "210px"},
            "layout": {"width": "410px"},
        }
        if p.choices:
            control = widgets.Dropdown(options=p.options, **common)
        elif isinstance(p.default, bool):
            # Its words stand on the right of the box and need the room that others give their label.
            control = widgets.Checkbox(**common | {"style": {"description_width": "70px"}})
        else:
            kind = widgets.IntSlider if p.whole else widgets.FloatSlider
            control = kind(min=p.low, max=p.high, step=p.step, continuous_update=True, **common)
        control.observe(lambda change: self._moved(p.name, change["new"]), names="value")
        return control

    def _button(self, widgets: Any, label: str, css: str, action: Callable[[], Any]) -> Any:
        button = widgets.Button(description=label)
        button.add_class(css)
        button.on_click(lambda _button: self._guarded(action))
        return button

    def _moved(self, name: str, value: Any) -> None:
        if not self.quiet:
            self._guarded(lambda: self.explorer.set(**{name: value}))

    def _guarded(self, action: Callable[[], Any]) -> None:
        """A front end swallows what a callback raises, so it is said where the learner looks."""
        try:
            action()
        except LabError as error:
            self.say(str(error), "lab-error")
        except KeyboardInterrupt:
            self.say(_("Interrupted. Nothing that it started is left running."), "lab-error")
        except Exception as error:  # noqa: BLE001 (whatever a scene raises)
            self.say(f"{type(error).__name__}: {error}", "lab-error")

    def show(self, values: dict[str, Any], picture: Picture) -> None:
        self.quiet = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self.quiet = False
        for button in self.buttons:
            button.disabled = False
        self.image.value = picture.png
        self.say(picture.text)

    def busy(self, words: str) -> None:
        for button in self.buttons:
            button.disabled = True
        self.say(words)

    def say(self, words: str, css: str = "") -> None:
        """One paragraph, read aloud by a screen reader when it changes."""
        mark = "⚠ " if css else ""
        self.words.value = f'<p role="status" aria-live="polite" class="{css}">{mark}{html(words)}</p>'

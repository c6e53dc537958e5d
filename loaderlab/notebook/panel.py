"""An explorer as it is shown: its controls, the sentence, and the picture in its frame.

It speaks through `widgets.Image` and `widgets.HTML` only, which every front end and every notebook test can deal with. The picture is an
SVG in an `img`: that is replaced without flicker, keeps its size, its text for screen readers and to itself the names in the drawing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.drawing import Picture
from loaderlab.drawing.scene import Parameter, Scene, written
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import access
from loaderlab.notebook.asking import Asking
from loaderlab.notebook.card import html
from loaderlab.notebook.control import Control

if TYPE_CHECKING:
    from loaderlab.course.question import Question

STYLE = Path(__file__).with_name("explorer.css")
_LOG = logging.getLogger(__name__)  # the traceback, for whoever wrote the scene


class Panel:
    """The widgets of one output, which begins with ``values`` and their ``picture``; with ipywidgets 7 and 8."""

    def __init__(
        self,
        scene: Scene,
        values: dict[str, Any],
        picture: Picture,
        questions: Sequence[Question] = (),
    ) -> None:
        import ipywidgets as widgets

        self.scene, self.values, self.picture = scene, values, picture
        self.first = values
        # Of the pictures so far, and of those that the controls can give: height to width.
        self.tallest = _height_to_width(scene.draw(**{**scene.defaults, **scene.tallest}))
        self.controls = {p.name: Control(p, self._moved) for p in scene.parameters}
        self.buttons = [self._button(widgets, _("Reset"), "lab-reset", lambda: self._draw(self.first))]
        if (run := scene.measure) is not None:
            measure = self._button(widgets, _("Measure"), "lab-measure", lambda: self._measure(run))
            measure.button_style = "primary"
            self.buttons.insert(0, measure)
        self.words = _with_class(widgets.HTML(), "lab-sentence")
        self.image = _with_class(widgets.Image(format="svg+xml"), "lab-picture")
        self.room = widgets.HTML()
        style = widgets.HTML(access.style(STYLE.read_text(encoding="utf-8")))
        controls = _with_class(widgets.Box([c.box for c in self.controls.values()]), "lab-controls")
        buttons = _with_class(widgets.Box(self.buttons), "lab-buttons")
        self.asking = Asking(questions, self._begin) if questions else None
        asking = [self.asking.box] if self.asking else []
        sheet = _with_class(widgets.Box([self.room, self.image]), "lab-sheet")
        frame = _with_class(widgets.Box([sheet]), "lab-frame")
        self.box = _with_class(
            widgets.VBox([style, controls, buttons, *asking, self.words, frame]), "lab-explorer"
        )
        self.show()

    def _button(self, widgets: Any, label: str, css: str, action: Callable[[], None]) -> Any:
        button = _with_class(widgets.Button(description=label), css)
        button.on_click(lambda _button: self._guarded(action))
        return button

    def _begin(self, question: Question) -> None:
        self._guarded(lambda: self._draw(self.scene.defaults | dict(question.start)))

    def _moved(self, parameter: Parameter, value: Any) -> None:
        self._guarded(lambda: self._set(parameter, value))

    def _set(self, parameter: Parameter, value: Any) -> None:
        possible = parameter.nearest(value) if parameter.is_number else value
        self._draw(self.values | {parameter.name: possible})
        if possible != value:
            words = _(
                "{label}: set to {nearest}, the nearest that is possible. Expected: {expected}."
            ).format(label=parameter.description, nearest=written(possible), expected=parameter.expected)
            self.say(words, self.picture.text)

    def _draw(self, values: dict[str, Any]) -> None:
        self.values = values
        try:
            self.picture = self.scene.draw(**values)
        finally:
            self.show()

    def _measure(self, measure: Callable[..., Picture]) -> None:
        self.box.add_class("lab-busy")  # a button that is disabled would lose the keyboard's focus
        self._say_how_long()
        try:
            self.picture = measure(**self.values)
        finally:
            self.box.remove_class("lab-busy")
            self.show()

    def _say_how_long(self) -> None:
        """Show a bar and seconds, which run in the browser, where they disturb no measurement."""
        if self.scene.seconds is None:
            known, words = "", _("Measuring: this setting runs for real on this machine, for some seconds.")
        else:
            seconds = max(1, round(self.scene.seconds(**self.values)))
            known = f' class="lab-known" style="--lab-takes:{seconds}s"'
            words = _("Measuring: this setting runs for real on this machine, for about {seconds} s.").format(
                seconds=number(seconds)
            )
        running = f'<div class="lab-running" aria-hidden="true"><i{known}></i><span></span></div>'
        self.words.value = f'<p role="status">{html(words)}</p>{running}'

    def _guarded(self, action: Callable[[], None]) -> None:
        """Act, and say errors where the learner looks, since a front end swallows what a callback raises."""
        try:
            action()
        except LabError as error:
            self.say(str(error))
        except KeyboardInterrupt:
            self.say(_("Interrupted. Nothing that it started is left running."))
        except Exception as error:  # noqa: BLE001 (whatever a scene raises)
            self.say(f"{type(error).__name__}: {error}")
            _LOG.exception("The explorer %r with %r", self.scene.name, self.values)

    def show(self) -> None:
        """Show everything as it is now."""
        for name, value in self.values.items():
            self.controls[name].show(value)
        self.tallest = max(self.tallest, _height_to_width(self.picture))
        self.room.value = f'<div style="padding-top:{100 * self.tallest:.2f}%"></div>'
        self.image.value = self.picture.svg.encode()
        self.say("", self.picture.text)

    def say(self, warning: str, sentence: str = "") -> None:
        """Read aloud by a screen reader when it changes."""
        warned = f'<span class="lab-error">⚠ {html(warning)}</span> ' if warning else ""
        self.words.value = f'<p role="status" aria-live="polite">{warned}{html(sentence)}</p>'


def _with_class(widget: Any, css: str) -> Any:
    widget.add_class(css)
    return widget


def _height_to_width(picture: Picture) -> float:
    return picture.height / picture.width

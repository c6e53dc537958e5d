"""Sliders + a scene = an explorer: a picture and a sentence that follow every move.

A scene is a pure function from parameters to a picture; the explorer knows nothing of what it shows, and it can be
driven without a browser: ``explorer.set(num_workers=8)``. Each output that shows it has a copy of its own, so that
no cell changes the picture of another, and no slider what a cell finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from loaderlab.course.panel import Panel
from loaderlab.drawing.scene import Scene
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import front
from loaderlab.notebook.widget import carry, update, view

if TYPE_CHECKING:
    from loaderlab.course.question import Question
    from loaderlab.drawing import Picture


class Explorer:
    """The values of a scene's controls, with the picture and the sentence that they give.

    As the value of a cell it is shown with its controls: that output begins with these values, and goes its own way.
    """

    def __init__(self, scene: Scene, questions: Sequence[Question] = (), texts: Sequence[str] = ()) -> None:
        self.scene, self.questions, self.texts = scene, questions, texts
        self.values: dict[str, Any] = scene.defaults
        self.picture = scene.draw(**self.values)

    @property
    def sentence(self) -> str:
        """The content of the picture, in words."""
        return self.picture.text

    def set(self, **values: Any) -> Explorer:
        """Set controls, all at once; raises :class:`LabError` and then sets none."""
        known = {p.name: p for p in self.scene.parameters}
        for name, value in values.items():
            if name not in known:
                raise LabError(
                    _(
                        "There is no control {name!r}. The controls are: {known}. Use one of these names."
                    ).format(name=name, known=", ".join(known))
                )
            known[name].check(value)
        self.values = self.values | values
        self.picture = self.scene.draw(**self.values)
        return self

    def reset(self) -> Explorer:
        """Set every control back to its first value."""
        return self.set(**self.scene.defaults)

    def measure(self) -> Picture:
        """Run the same setting for real: a picture of it beside the prediction; takes as long as it takes."""
        if self.scene.measure is None:
            raise LabError(_("This explorer only predicts; there is nothing to measure."))
        self.picture = self.scene.measure(**self.values)
        return self.picture

    def panel(self) -> Panel:
        """Return a panel of its own, which begins with what this explorer shows."""
        return Panel(self.scene, self.values, self.picture, self.questions, self.texts)

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Show the controls in a live notebook; the picture and the sentence in one that is only read."""
        panel = self.panel()
        widget = carry(panel, front.EXPLORER)
        panel.tell = partial(update, widget)
        data, metadata = self.picture._repr_mimebundle_()
        return {**view(widget), **data}, metadata

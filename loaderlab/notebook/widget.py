"""The widget that carries a card or an explorer between the browser and the kernel, with ipywidgets 7 and 8."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from loaderlab.notebook import front

# The MIME type that tells a front end to show a widget as the output of a cell.
VIEW = "application/vnd.jupyter.widget-view+json"


class Model(Protocol):
    """A card or an explorer: the traits that it shows, and the messages that it answers. It knows of no widget."""

    @property
    def state(self) -> dict[str, Any]:
        """The traits, which the script reads."""

    def receive(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the traits that a message of the script changes."""


def carry(model: Model, script: Path) -> Any:
    """Return a widget that shows ``model`` by ``script``."""
    state = model.state
    widget = _kind(script, tuple(state))(**state)

    def receive(_widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        changed: dict[str, Any] = {}
        try:
            changed = model.receive(message)
        finally:  # whatever went wrong, the next message is sent
            update(widget, {**changed, "answered": message.get("turn", 0)})

    widget.on_msg(receive)
    return widget


def update(widget: Any, traits: dict[str, Any]) -> None:
    """Have the widget show these traits, all at once."""
    with widget.hold_sync():
        for name, value in traits.items():
            setattr(widget, name, value)


def view(widget: Any) -> dict[str, Any]:
    """Return the part of a cell's output, by MIME type, that is ``widget``; text or a picture stand beside it."""
    return {VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}


@lru_cache
def _kind(script: Path, traits: tuple[str, ...]) -> Any:
    """Return the class of the widgets with that script, which have these traits."""
    import anywidget
    from traitlets import Any as Anything
    from traitlets import Int

    synced = {name: Anything().tag(sync=True) for name in traits}
    members = {
        "_esm": script.read_text("utf-8"),
        "_css": front.STYLE.read_text("utf-8"),
        "answered": Int(0).tag(sync=True),
        **synced,
    }
    return type(script.stem.title(), (anywidget.AnyWidget,), members)

"""The MIME bundle that tells a front end to show a widget as the output of a cell."""

from __future__ import annotations

from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"


def view(widget: Any) -> dict[str, Any]:
    """Return the part of a cell's output, by MIME type, that is ``widget``; text or a picture stand beside it."""
    return {VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}

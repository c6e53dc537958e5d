"""The front end of notebooks and of the website: ES modules by the anywidget specification, and their style."""

from __future__ import annotations

from pathlib import Path

CARD, EXPLORER, CASE, STYLE = (
    Path(__file__).with_name(name) for name in ("card.js", "explorer.js", "case.js", "front.css")
)

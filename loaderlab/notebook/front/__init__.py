"""The front end of notebooks and of the website: two ES modules by the anywidget specification, and their style."""

from __future__ import annotations

from pathlib import Path

CARD, EXPLORER, STYLE = (Path(__file__).with_name(name) for name in ("card.js", "explorer.js", "front.css"))

"""The picture of pages: which of them a forked reader has copied, at each of its pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loaderlab.drawing import ORANGE, Kind, Picture
from loaderlab.drawing.grids import grid
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.copy_on_write.apart import Rows
from loaderlab.notebook.card import Note
from loaderlab.notebook.figures import named


def picture(rows: Rows) -> Picture | Note:
    """Return one line for each pause, one cell for each page, from rows with ``order``, ``items`` and ``cells``."""
    if not rows:
        return Note(repr(rows))
    labels = [_label(row) for row in rows]
    kinds = {"#": Kind(ORANGE, _("copied")), ".": Kind("#d9d9d9", _("shared with the main process"))}
    value = _("{what}: {value}")
    said = [value.format(what=label, value=row["copied"]) for label, row in zip(labels, rows, strict=True)]
    text = value.format(what=_("Pages copied"), value=" · ".join(said))
    cells: Sequence[Sequence[str]] = [list(row["cells"]) for row in rows]
    return grid(cells, kinds, text=text, row_labels=labels)


def _label(row: dict[str, Any]) -> str:
    return _("{what}: {value}").format(what=named(row["order"]), value=row["items"])

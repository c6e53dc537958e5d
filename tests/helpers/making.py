"""The code cells that make what chosen ones need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbformat import NotebookNode

from loaderlab.publish import bootstrap_cell
from loaderlab.publish.names import made, needed


def with_what_they_need(
    cells: Sequence[NotebookNode], wanted: Callable[[NotebookNode], bool]
) -> list[NotebookNode]:
    """Return the code cells that are wanted, and those above them that make what they need; the one that installs is not looked at."""
    kept: list[NotebookNode] = []
    missing: set[str] = set()
    for cell in reversed(cells):
        if (
            cell.cell_type == "code"
            and cell.id != bootstrap_cell.ID
            and (wanted(cell) or made(cell.source) & missing)
        ):
            kept.insert(0, cell)
            missing |= needed(cell.source)
    return kept

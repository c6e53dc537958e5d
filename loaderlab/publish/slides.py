"""The part that each cell has in a slide show: the metadata that RISE, JupyterLab and ``jupyter nbconvert --to slides`` read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loaderlab.publish.source import CHECK, NOTE, SETUP, STATEMENT, Cell

SLIDE, SUBSLIDE, FRAGMENT, SKIP, NOTES = "slide", "subslide", "fragment", "skip", "notes"

# On a wall, points and the machine of the set-up cell say nothing; a diagnosis is pages long, and one's own.
_SKIPPED = (SETUP, CHECK)
_SCORE, _DIAGNOSIS = "lab.score()", "lab.diagnose("


def slide_types(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the slide type of each cell.

    The title and every section begin a slide, other prose a slide below it; code waits on the slide of its
    question until one goes on, so that the class can predict first. The rule reads the English source: it is the
    same in every language.
    """
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if cell.role == NOTE:
            yield NOTES
        elif _is_skipped(cell) or (_leads_on(cell) and after is not None and _is_skipped(after)):
            yield SKIP
        elif cell.is_code:
            yield FRAGMENT
        elif cell.role != STATEMENT and cell.source.startswith(("# ", "## ")):
            yield SLIDE
        else:
            yield SUBSLIDE


def _is_skipped(cell: Cell) -> bool:
    of_ones_own = cell.source.strip() == _SCORE or (cell.is_code and _DIAGNOSIS in cell.source)
    return cell.role in _SKIPPED or of_ones_own


def _leads_on(cell: Cell) -> bool:
    """Return whether a cell only announces the next one."""
    return not cell.is_code and cell.source.endswith(":") and "\n" not in cell.source

"""Predict, then see: what of a learner's notebook waits for the guess.

A prediction is asked by a paragraph that begins with **Predict first**, and answered by the explanations up to the
next prediction or section. These are folded, and the stored outputs of the cells between are hidden until they are run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from loaderlab.publish.source import EXPLANATION, NOTE, Cell
from loaderlab.words.errors import LabError
from loaderlab.words.language import mark
from loaderlab.words.language import translate as _

COMPARE = mark("Compare")

_ASKED = re.compile(r"^\*\*Predict first", re.MULTILINE)
_SECTION = re.compile(r"^## ", re.MULTILINE)


def waiting(cells: Sequence[Cell]) -> list[bool]:
    """Whether each cell is part of an answer that waits; raises LabError where a prediction has no explanation."""
    waits = [False] * len(cells)
    asked: int | None = None  # the cell of the last prediction
    answered = True
    for number, cell in enumerate(cells):
        if cell.role == EXPLANATION:
            if asked is None:
                raise LabError(
                    _(
                        "{where}: an explanation of nothing. Expected: before it a paragraph that begins with "
                        "`**Predict first`, in the same section. Ask first, or remove the mark."
                    ).format(where=cell.where)
                )
            answered = True
            waits[asked + 1 : number + 1] = [True] * (number - asked)
        elif (
            not cell.is_code
            and cell.role != NOTE
            and (_SECTION.search(cell.source) or _ASKED.search(cell.source))
        ):
            if asked is not None and not answered:
                raise _unanswered(cells[asked])
            asks = _ASKED.search(cell.source)
            asked, answered = (number, False) if asks else (None, True)
    if asked is not None and not answered:
        raise _unanswered(cells[asked])
    return waits


def folded(summary: str, text: str) -> str:
    """An explanation that the learner opens; ``summary`` is the word to click on."""
    return f"<details>\n<summary><b>{summary}</b></summary>\n\n{text}\n\n</details>"


def _unanswered(cell: Cell) -> LabError:
    return LabError(
        _(
            "{where}: a prediction without an explanation. Expected: before the next prediction or section a cell that begins "
            "with the line {line}. Add the line before the paragraph that tells the answer."
        ).format(where=cell.where, line='`+++ {"explain": true}`')
    )

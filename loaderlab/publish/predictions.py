"""Predict, then see: what of a learner's notebook waits for the guess.

A prediction is asked by a paragraph that begins with **Predict first**, with a cell `lab.predict("name")` for the guess, and
answered by the explanations up to the next prediction or section. These are folded, and the stored outputs of the cells
between are hidden until they are run. `lab.compare("name", …)` puts what was measured beside the guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.publish.source import EXPLANATION, NOTE, Cell

DEEPER = mark("Deeper: {title}")

_ASKED = re.compile(r"^\*\*Predict first", re.MULTILINE)
FIELD = re.compile(r"\blab\.predict\(\s*[\"']([\w-]+)[\"']")
COMPARED = re.compile(r"\blab\.compare\(\s*[\"']([\w-]+)[\"']")
FOLD = re.compile(r"\A<details>\n<summary>.*</summary>\n\n|\n\n</details>\Z")
_SECTION = re.compile(r"^## ", re.MULTILINE)


def waiting(cells: Sequence[Cell]) -> list[bool]:
    """Return for each cell whether it is part of an answer that waits; raises LabError where a prediction has no explanation."""
    waits = [False] * len(cells)
    asked: int | None = None  # the cell of the last prediction
    answered = True
    for number, cell in enumerate(cells):
        if cell.role == EXPLANATION:
            if asked is None:
                raise LabError(
                    _(
                        "{where}: this explanation has no question. Expected: before it a paragraph that begins with "
                        "`**Predict first`, in the same section. Ask first, or remove the mark."
                    ).format(where=cell.where)
                )
            answered = True
            between = range(asked + 1, number + 1)
            if not any(FIELD.search(cells[at].source) for at in between):
                raise LabError(
                    _(
                        "{where}: a prediction without a field. Expected: between it and its explanation a code cell "
                        "`lab.predict(NAME)`, with a name from predictions.py. Add the cell."
                    ).format(where=cells[asked].where)
                )
            for at in between:
                waits[at] = not FIELD.search(cells[at].source)
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


def expect_all_compared(cells: Sequence[Cell], names: Sequence[str], file: str) -> None:
    """Raise :class:`LabError` where predictions.py, the fields and the comparisons of a lesson do not have the same names."""
    code = "\n".join(cell.source for cell in cells if cell.is_code)
    for call, found in (("lab.predict", FIELD.findall(code)), ("lab.compare", COMPARED.findall(code))):
        if sorted(set(found)) != sorted(names):
            raise LabError(
                _(
                    "{file} and predictions.py do not agree. Only one of them has, for `{call}`: {names}. Expected: each "
                    "prediction is asked for, and compared with what was measured. Add or rename cells."
                ).format(file=file, call=call, names=", ".join(sorted(set(found) ^ set(names))))
            )


def folded(summary: str, text: str) -> str:
    """Return text that the learner unfolds; ``summary`` are the words to click on."""
    return f"<details>\n<summary><b>{summary}</b></summary>\n\n{text}\n\n</details>"


def _unanswered(cell: Cell) -> LabError:
    return LabError(
        _(
            "{where}: a prediction without an explanation. Expected: before the next prediction or section a cell that begins "
            "with the line {line}. Add the line before the paragraph that tells the answer."
        ).format(where=cell.where, line='`+++ {"explain": true}`')
    )

"""The results that a committed notebook shows of its predictions: what was measured, and on what machine and day."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from loaderlab.course.numerals import read
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

if TYPE_CHECKING:
    from nbformat import NotebookNode

SETUP = "setup"


def result(cell: NotebookNode, prediction: Prediction) -> Guess | None:
    """Return what the output of a cell `lab.compare(…)` says, in the language that is spoken; None where nothing was measured."""
    text = "\n".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
    # In some languages one of the two begins like the other.
    words = "|".join(map(re.escape, sorted((_("measured"), _("computed")), key=len, reverse=True)))
    found = re.findall(rf"^ .*?\b(?:{words})\s*:? (.+)$", text, re.MULTILINE)
    if prediction.choices:
        written = {prediction.written(key): key for key in prediction.choices}
        return written.get(found[0]) if found else None
    with suppress(LabError):
        numbers = [read(each, prediction.unit) for each in found]
        return prediction.formed(numbers if prediction.places else numbers[0]) if numbers else None
    return None


def machine(notebook: NotebookNode) -> str:
    """Return what the set-up cell printed of the machine's cores and of PyTorch, in a line."""
    said = "".join(
        output.get("text", "")
        for cell in notebook.cells
        if SETUP in cell.metadata.get("tags", ())
        for output in cell.outputs
    )
    cores, *others = said.strip().splitlines() or [""]
    software = re.search(r"Python \S+ · PyTorch \S+", " ".join(others))
    return f"{cores} · {software[0]}" if software else cores


def day(notebook: NotebookNode) -> str:
    """Return the day on which a notebook was run, as 2026-11-25; empty where it does not say so."""
    return str(notebook.metadata.get("loaderlab", {}).get("run", ""))


def stamp(prediction: Prediction, on: str, when: str) -> str:
    """Return the sentence that says where a result comes from; none where it was computed, which is the same everywhere."""
    return "" if prediction.computed else stored(on, when)


def stored(on: str, when: str) -> str:
    """Return the sentence that says on which machine and day a lesson was run."""
    if not when:
        return on
    return _("Stored with the lesson on {when}. {machine}").format(when=when, machine=on)

"""The answers in a notebook: which cell answers which exercise, whatever an editor did to the metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from loaderlab.course import Lesson
from loaderlab.language import translate as _
from loaderlab.probing import Probe


@dataclass(frozen=True)
class Cell:
    """A code cell: its source, and the exercises whose answer it says it is."""

    source: str
    answers: frozenset[str]


class Unreadable(ValueError):
    """The file is no notebook that can be graded; the message says, translated, what to do."""


def parse(content: bytes) -> dict[str, Any]:
    """The notebook as JSON; raises :class:`Unreadable`. Only its outermost form is checked."""
    if not content.strip():
        raise Unreadable(_("The file is empty. Ask for it again."))
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Unreadable(
            _("It is not JSON ({error}). Expected: a notebook, saved by Jupyter. Ask for it again.").format(
                error=error
            )
        ) from None
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    if isinstance(version, int) and version < 4:
        raise Unreadable(
            _(
                "It is a notebook of the old format {version}. Open it in JupyterLab, and save it again."
            ).format(version=version)
        )
    if version != 4 or not isinstance(notebook.get("cells"), list):
        raise Unreadable(_("It is not a notebook of format 4. Ask for it again, as saved by Jupyter."))
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    """The code cells; nothing is taken for granted about the type of any field."""
    cells = (cell for cell in notebook["cells"] if isinstance(cell, dict) and cell.get("cell_type") == "code")
    return [Cell(_source(cell.get("source")), frozenset(_answers(cell))) for cell in cells]


def _source(source: Any) -> str:
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.encode("utf-8", "replace").decode("utf-8")  # JSON can hold half of a pair, a file cannot


def _answers(cell: dict[str, Any]) -> Iterable[str]:
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    # Saving in the format 4.0, Colab moves a cell's id into the metadata.
    for name in (cell.get("id"), metadata.get("id")):
        if isinstance(name, str) and name.startswith("answer-"):
            yield name.removeprefix("answer-")
    grader = metadata.get("nbgrader")
    if (
        isinstance(grader, dict)
        and grader.get("solution") is True
        and isinstance(grader.get("grade_id"), str)
    ):
        yield grader["grade_id"]


def take(cells: list[Cell], lesson: Lesson) -> tuple[dict[str, str], list[str]]:
    """The source of each answer, by exercise, and remarks on those that were not where they should be."""
    answers: dict[str, str] = {}
    remarks: list[str] = []
    for name, probe in lesson.probes().items():
        answer, remark = _answer(cells, lesson, probe)
        if answer is not None:
            answers[name] = answer
        if remark:
            remarks.append(remark)
    return answers, remarks


def _answer(cells: list[Cell], lesson: Lesson, probe: Probe) -> tuple[str | None, str]:
    """The answer to one exercise as the notebook would check it: the last definition before its check cell."""
    name = probe.name
    defines = _definition(lesson, probe)
    marked = [cell for cell in cells if name in cell.answers]
    defining = [cell for cell in cells if defines.search(cell.source)]
    checks = [
        i for i, cell in enumerate(cells) if re.search(rf"lab\.check\(\s*[\"']{name}[\"']", cell.source)
    ]
    if checks:
        defining = [c for c in cells[: checks[-1]] if defines.search(c.source)] or defining
    if not defining:
        lost = _("{name}: its cell does not define it any more. Not graded.")
        gone = _("{name}: no cell defines it, and its cell is gone. Not graded.")
        return None, (lost if marked else gone).format(name=name)
    chosen = defining[-1]
    if len(defining) > 1:
        return chosen.source, _("{name}: defined in several cells ({count}). The last one is graded.").format(
            name=name, count=len(defining)
        )
    if chosen in marked and len(marked) > 1 and probe.kind != "file":  # split: both halves keep the metadata
        halves = "\n\n".join(cell.source for cell in marked)
        return halves, _("{name}: the cell was split. Its parts are graded together.").format(name=name)
    if marked and chosen not in marked:
        return chosen.source, _("{name}: found in another cell than its own.").format(name=name)
    return chosen.source, ""


def _definition(lesson: Lesson, probe: Probe) -> re.Pattern[str]:
    """Finds the answer in the source of a cell; the names stay English in every language."""
    if probe.kind == "file":
        file = re.escape(_file(lesson.folder / "lesson.md", probe.name))
        return re.compile(rf"\A\s*%%writefile\s+(?:\S*[/\\])?[\"']?{file}[\"']?\s*$", re.MULTILINE)
    return re.compile(
        rf"^(?:(?:async\s+)?def|class)\s+{probe.name}\b|^{probe.name}\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE
    )


@lru_cache(maxsize=64)
def _file(source: Path, name: str) -> str:
    """The name of the file that an exercise asks for, from its check cell in lesson.md."""
    text = source.read_text("utf-8")
    found = re.search(rf"lab\.check\(\s*\"{name}\",[^\n]*\"([^\"\n]+)\"", text)
    return found[1] if found else f"{name}.py"

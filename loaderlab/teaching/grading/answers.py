"""The answers in a notebook: which cell answers which exercise, whatever an editor did to the metadata."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from loaderlab.course import Lesson
from loaderlab.exercises.probing import Probe
from loaderlab.i18n.language import translate as _

MOST_CODE = 1024**2  # characters of all code cells of a notebook; a lesson has 15,000
_EXPORTS = {b"<": "HTML", b"\xef\xbb\xbf<": "HTML", b"%PDF-": "PDF"}  # how a file begins -> what it is
# The beginning of a cell that writes a file. Colab and VS Code allow comments above it.
_WRITE = re.compile(r"\A\s*(?:#[^\n]*\n\s*)*%%(?:writefile|file)[ \t]+(?P<more>-a[ \t]+)?(?P<path>[^\n]+)\n?")


@dataclass(frozen=True)
class Cell:
    """A code cell: its source, and the exercises whose answer it says it is."""

    source: str
    answers: frozenset[str]

    @cached_property
    def text(self) -> str:
        """The source, with whatever indents all of it taken away, as IPython does."""
        return textwrap.dedent(self.source)


@dataclass(frozen=True)
class Written:
    """A file that a cell writes: its name without folders, its text, and whether that is added to what is there."""

    name: str
    text: str
    more: bool


class Unreadable(ValueError):
    """The file is no notebook that can be graded; the message says, translated, what to do."""


def parse(content: bytes) -> dict[str, Any]:
    """Return the notebook as JSON; raises :class:`Unreadable`. Only its outermost form is checked."""
    if not content.strip():
        raise Unreadable(_("The file is empty. Ask for it again."))
    if kind := next((kind for start, kind in _EXPORTS.items() if content.lstrip().startswith(start)), ""):
        exported = _(
            "It is an export of a notebook or a saved web page ({kind}), with the name of a notebook. "
            "Ask for the notebook itself, as Jupyter saves it."
        )
        raise Unreadable(exported.format(kind=kind))
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
    """Return the code cells; nothing is taken for granted about the type of any field. Raises :class:`Unreadable`."""
    cells = (cell for cell in notebook["cells"] if isinstance(cell, dict) and cell.get("cell_type") == "code")
    found = [Cell(_source(cell.get("source")), frozenset(_answers(cell))) for cell in cells]
    if sum(len(cell.source) for cell in found) > MOST_CODE:
        raise Unreadable(
            _(
                "Its code has more than {limit} million characters. Expected: a notebook of the course, with answers. "
                "Ask for it again."
            ).format(limit=MOST_CODE // 1024**2)
        )
    return found


def written(source: str) -> Written | None:
    """Return the file that a cell with this source writes; None where it writes none."""
    found = _WRITE.search(source)
    if found is None:
        return None
    name = re.split(r"[/\\]", found["path"].strip().strip("\"'"))[-1]
    return Written(name, source[found.end() :], bool(found["more"]))


def files(sources: Iterable[str]) -> dict[str, str]:
    """Return the files that these cells write, one after the other: name -> text."""
    found: dict[str, str] = {}
    for one in filter(None, map(written, sources)):
        if one.name not in ("", ".", ".."):
            found[one.name] = (found.get(one.name, "") if one.more else "") + one.text
    return found


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
    """Return the source of each answer, by exercise, and remarks on those that were not where they should be."""
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
    """Return the answer to one exercise as the notebook would check it: the last definition before its check cell."""
    name = probe.name
    marked = [cell for cell in cells if name in cell.answers]
    checks = [
        i for i, cell in enumerate(cells) if re.search(rf"lab\.check\(\s*[\"']{name}[\"']", cell.source)
    ]
    # An answer may stand in the cell of its check, above it.
    defining = _defining(cells[: checks[-1] + 1] if checks else cells, lesson, probe)
    defining = defining or _defining(cells, lesson, probe)
    if not defining:
        lost = _("{name}: its cell does not define it any more, so it is not graded.")
        gone = _("{name}: no cell defines it, and its own cell is gone, so it is not graded.")
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


def _defining(cells: Sequence[Cell], lesson: Lesson, probe: Probe) -> list[Cell]:
    """Return the cells that define the answer; the names stay English in every language."""
    if probe.kind == "file":
        name = file_name(lesson, probe.name)
        return [cell for cell in cells if (file := written(cell.source)) and file.name == name]
    name = probe.name
    definition = rf"(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b|{name}[ \t]*(?::[^=\n]+)?=(?!=)"
    definition += rf"|from[ \t]+\S+[ \t]+import[ \t(][^\n]*\b{name}\b"
    pattern = re.compile(rf"^(?:{definition})", re.MULTILINE)
    # In a condition, say; only where there is nothing else, for it might be a method of the same name.
    inner = re.compile(rf"^[ \t]+(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b", re.MULTILINE)
    return [c for c in cells if pattern.search(c.text)] or [c for c in cells if inner.search(c.text)]


def file_name(lesson: Lesson, exercise: str) -> str:
    """Return the name of the file that an exercise asks for."""
    return _file(lesson.folder / "lesson.md", exercise)


@lru_cache(maxsize=64)
def _file(source: Path, name: str) -> str:
    """Return the name of the file that an exercise asks for, from its check cell in lesson.md."""
    text = source.read_text("utf-8")
    found = re.search(rf"lab\.check\(\s*\"{name}\",[^\n]*\"([^\"\n]+)\"", text)
    return found[1] if found else f"{name}.py"

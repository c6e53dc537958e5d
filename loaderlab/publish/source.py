"""The source of a lesson: lesson.md as cells that know what they are for.

The way through a lesson is what learners read when nothing is unfolded: it is neither deeper (true, useful, and folded, since
nothing else needs it), nor a note for the instructor, nor an exercise.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from loaderlab.course import outline
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.publish import code, regions

if TYPE_CHECKING:
    from loaderlab.course import Lesson

# What a cell is for.
PROSE, STATEMENT, NOTE, EXPLANATION, DEEPER = "prose", "statement", "note", "explanation", "deeper"
ASIDE = "aside"  # the heading of a section that is not on the way
HINTS = "hints"  # of an exercise, which no notebook shows before it is asked for one
CODE, SETUP, ANSWER, CHECK = "code", "setup", "answer", "check"

_HEADING = re.compile(r"^(#+) ", re.MULTILINE)
_DIAGRAM = re.compile(r"\blab\.diagram\(\s*[\"']([\w-]+)[\"']")


@dataclass(frozen=True)
class Cell:
    """A cell of lesson.md, in English and with its solution. ``exercise`` is empty outside exercises.

    ``id`` depends on what the cell says (or on its exercise), not on its place, so that it survives edits
    elsewhere; ``where`` names the cell in an error. ``off_the_way``: whether it belongs to a section that goes deeper.
    """

    role: str
    source: str
    exercise: str
    tags: tuple[str, ...]
    id: str
    where: str
    off_the_way: bool = False

    @property
    def is_code(self) -> bool:
        return self.role not in (PROSE, STATEMENT, HINTS, NOTE, EXPLANATION, DEEPER, ASIDE)

    @property
    def level(self) -> int:
        """The level of its highest heading, 1 for the title of the lesson; 0 where it has none."""
        return 0 if self.is_code else min(map(len, _HEADING.findall(self.source)), default=0)


@dataclass(frozen=True)
class Source:
    """A lesson and the cells of its lesson.md."""

    lesson: Lesson
    cells: tuple[Cell, ...]

    @property
    def title(self) -> str:
        """The lesson's title, in English."""
        return self.cells[0].source.partition("\n")[0].removeprefix("# ").strip()

    @property
    def diagrams(self) -> tuple[str, ...]:
        """The names of the diagrams that the lesson shows, in order, each once."""
        return tuple(
            dict.fromkeys(name for c in self.cells if c.is_code for name in _DIAGRAM.findall(c.source))
        )


def read(lesson: Lesson) -> Source:
    """Read lesson.md; raises :class:`LabError`, naming file and cell, where it is not a lesson."""
    written = (lesson.folder / "lesson.md").read_bytes()
    source = Source(lesson, _cells(lesson.name, written, language.current()))
    _expect_lesson(source)
    return replace(source, cells=tuple(cell for cell in source.cells if cell.role != HINTS))


@lru_cache(maxsize=32)
def _cells(name: str, written: bytes, _spoken: str) -> tuple[Cell, ...]:
    """Return the cells of a lesson.md: parsed once in each language that messages are in, since jupytext takes a fifth of a second."""
    import jupytext

    try:
        notebook = jupytext.reads(written.decode("utf-8"), fmt="md:myst")
    except Exception as error:  # noqa: BLE001 (jupytext passes on what YAML, JSON and the notebook schema raise)
        raise LabError(
            _("{file} cannot be read: {error}. Mend its front matter, or the options of that cell.").format(
                file=f"{name}/lesson.md", error=error
            )
        ) from None
    seen: Counter[str] = Counter()
    cells = []
    for number, found in enumerate(notebook.cells, 1):
        where = f"{name}/lesson.md, " + _("cell {number}").format(number=number)
        cell = _cell(found.cell_type == "code", found.source, found.metadata, where, seen)
        if cell.role in (CODE, ANSWER):
            code.stub(cell.source, where, "")  # raises where the markers of the solution do not pair
        cells.append(cell)
    return tuple(placed(cells))


def placed(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the cells, each knowing whether it is on the way: a section ends where one of its level begins, or of a higher."""
    aside = 0  # the level of the section that goes deeper
    for cell in cells:
        if cell.role == ASIDE or 0 < cell.level <= aside:
            aside = cell.level if cell.role == ASIDE else 0
        yield replace(cell, off_the_way=aside > 0)


def _cell(is_code: bool, text: str, metadata: dict[str, Any], where: str, seen: Counter[str]) -> Cell:
    tags = tuple(metadata.get("tags", ()))
    if not is_code:
        text = regions.unmarked(text)
        marked = {"exercise": STATEMENT, "hints": HINTS, "note": NOTE, "explain": EXPLANATION}
        marked["deeper"] = ASIDE if "minutes" in metadata else DEEPER
        role = next((role for mark, role in marked.items() if metadata.get(mark)), PROSE)
    elif "setup" in tags:
        role = SETUP
    else:
        role = ANSWER if "exercise" in metadata else CHECK if "check" in metadata else CODE
    exercise = str(metadata.get(role if role in (CHECK, HINTS) else "exercise", ""))
    says = code.essence(text) if is_code else text  # an edited comment keeps the cell, and so its outputs
    stem = f"{role}-{exercise}" if exercise else SETUP if role == SETUP else _digest(role, says)
    seen[stem] += 1
    return Cell(role, text, exercise, tags, stem if seen[stem] == 1 else f"{stem}-{seen[stem]}", where)


def _digest(role: str, text: str) -> str:
    return hashlib.sha256(f"{role}\n{text}".encode()).hexdigest()[:12]


def _expect_lesson(source: Source) -> None:
    """Raise :class:`LabError` where the lesson cannot be built as it is written."""
    _expect_beginning(source)
    for cell in source.cells:
        _expect_cell(cell)
    _expect_exercises(source)
    outline.read(source.lesson)  # raises where a section does not say its minutes


def _file(source: Source) -> str:
    return f"{source.lesson.name}/lesson.md"


def _expect_beginning(source: Source) -> None:
    file = _file(source)
    if not source.cells or not source.cells[0].source.startswith("# ") or source.cells[0].is_code:
        raise LabError(
            _(
                "{file} does not begin with a title. Expected: a first cell that begins with `# Title`."
            ).format(file=file)
        )
    setups = [cell for cell in source.cells if cell.role == SETUP]
    if len(setups) != 1 or IMPORT not in setups[0].source.split("\n") or BEGIN not in setups[0].source:
        raise LabError(
            _(
                "{file} has no set-up cell that can be built (cells tagged `setup`: {count}). Expected: "
                "exactly one code cell tagged `setup`, with the lines `{line}` and `lab.begin(…, {begin})`."
            ).format(file=file, count=len(setups), line=IMPORT, begin=BEGIN)
        )


def _expect_cell(cell: Cell) -> None:
    titled = re.search(r"^#+ ", cell.source, re.MULTILINE)
    problem = ""
    if cell.role == STATEMENT and not titled:
        problem = _("{where}: an exercise without a heading. Add one, `### …`.")
    elif cell.role == CODE and re.search("(BEGIN|END) SOLUTION", cell.source):  # or what is left of one
        problem = _(
            "{where}: this cell has a solution, but belongs to no exercise. Expected: the option `:exercise: NAME` in "
            "the cell. Add it, or remove the markers."
        )
    elif cell.role == NOTE and titled:
        problem = _(
            "{where}: a heading in a note for the instructor, which learners do not get. End the note with a "
            "line `+++` before the heading."
        )
    elif cell.role in (EXPLANATION, DEEPER) and titled:
        problem = _(
            "{where}: a heading in an explanation, which is folded. End the explanation with a line `+++` "
            "before the heading."
        )
    elif cell.role == ASIDE and not re.fullmatch(r"##+ .+", cell.source):
        problem = _(
            "{where}: this section goes deeper, so it must begin with its heading alone, under which it is collapsed. "
            "Expected: `## …` or `### …`, and a line `+++` between it and the text. Add the line."
        )
    elif cell.role == DEEPER and not re.match(r"\*\*[^*`\n]+\*\*\n\n", cell.source):
        problem = _(
            "{where}: this text goes deeper, but has no title to click on. Expected: a first paragraph `**Title**`, and "
            "then the text. Add the title."
        )
    if problem:
        raise LabError(problem.format(where=cell.where))


def _expect_exercises(source: Source) -> None:
    file = _file(source)
    known = list(source.lesson.exercises())
    for role in (STATEMENT, HINTS, ANSWER, CHECK):
        found = [cell.exercise for cell in source.cells if cell.role == role]
        if sorted(found) != sorted(known):
            raise LabError(
                _(
                    "{file} and exercises.py do not agree: exercises.py has {known}, but the cells of the "
                    "kind {role!r} are for {found}. Expected: one such cell for each exercise. Add or rename "
                    "cells."
                ).format(file=file, known=", ".join(known) or "–", role=role, found=", ".join(found) or "–")
            )


IMPORT, BEGIN = "import loaderlab as lab", 'language="en"'

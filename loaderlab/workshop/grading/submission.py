"""A submission: one file that was handed in, whose it is, of which lesson, and its answers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from loaderlab import course
from loaderlab.course import Lesson
from loaderlab.errors import LabError
from loaderlab.language import translate as _
from loaderlab.workshop.grading import answers
from loaderlab.workshop.grading.answers import Cell, Unreadable
from loaderlab.workshop.grading.handed import Handed, files
from loaderlab.workshop.grading.shown import clean, cut
from loaderlab.workshop.grading.student import in_name, names, student

_BEGIN = re.compile(r"\blab\.begin\(\s*[\"'](\w+)[\"']")
_NAMED = 120  # characters of a file name inside a remark


@dataclass(frozen=True)
class Submission:
    """What one file holds. Where ``problem`` says why nothing of it can be graded, ``answers`` is empty.

    ``lesson`` is the lesson's name, None where it could not be told. ``answers``: exercise -> source of its
    cell, as written. ``remarks`` and ``problem`` are translated. ``student`` and ``file`` can be shown.
    """

    student: str
    file: str
    lesson: str | None
    answers: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    problem: str = ""


def find(paths: Sequence[Path], only: Collection[str] = ()) -> list[Submission]:
    """Every submission at these paths: notebooks, folders, zip files; ``only`` grades these lessons and lists the rest.

    Raises :class:`LabError` for a path or a lesson that does not exist, and where there is no file at all.
    """
    for name in only:
        course.lesson(name)
    lessons = course.lessons()
    found = [(student(one.parts, lessons), _submission(one, lessons, only)) for one in files(paths)]
    if not found:
        raise LabError(
            _(
                "There is no notebook in {paths}. Expected: files whose names end in .ipynb. Check the path."
            ).format(paths=", ".join(map(str, paths)))
        )
    shown = names([who for who, _one in found])
    return _told_apart([replace(one, student=shown[who]) for who, one in found])


def _submission(handed: Handed, lessons: Sequence[Lesson], only: Collection[str]) -> Submission:
    empty = Submission("", clean(handed.file), None)
    if handed.problem:
        return replace(empty, problem=clean(handed.problem))
    try:
        notebook = answers.parse(handed.content)
    except Unreadable as error:
        return replace(empty, problem=clean(str(error)))
    cells = answers.code_cells(notebook)
    named = next((lesson for lesson in lessons if in_name(lesson).search(handed.parts[-1])), None)
    lesson = _lesson(notebook, cells, lessons) or named
    if lesson is None:
        return replace(
            empty,
            problem=_(
                "It is not clear of which lesson this notebook is. Give its file the lesson's name: {example}."
            ).format(example=f"{lessons[0].file}.ipynb"),
        )
    if only and lesson.name not in only:
        problem = _("A notebook of the lesson {lesson}; asked for: {only}.")
        return replace(
            empty,
            lesson=lesson.name,
            problem=problem.format(lesson=lesson.name, only=", ".join(sorted(only))),
        )
    taken, remarks = answers.take(cells, lesson)
    if named not in (None, lesson):
        remarks.insert(0, _("The file has the name of another lesson: {name}.").format(name=named.file))
    if _about(notebook).get("kind") == "solutions":
        remarks.insert(0, _("This is the course's own solution notebook, or was made from it."))
    return replace(empty, lesson=lesson.name, answers=taken, remarks=tuple(remarks))


def _lesson(notebook: dict[str, Any], cells: Sequence[Cell], lessons: Sequence[Lesson]) -> Lesson | None:
    """The lesson that the notebook itself says it is of: in its metadata, or where it begins."""
    begun = [found[1] for cell in cells if (found := _BEGIN.search(cell.source))]
    for name in (_about(notebook).get("lesson"), *begun):
        for lesson in lessons:
            if lesson.name == name:
                return lesson
    return None


def _about(notebook: dict[str, Any]) -> dict[str, Any]:
    metadata = notebook.get("metadata")
    about = metadata.get("loaderlab") if isinstance(metadata, dict) else None
    return about if isinstance(about, dict) else {}


def _told_apart(submissions: list[Submission]) -> list[Submission]:
    """Where a student handed in several notebooks of one lesson, each gets a remark that names the others."""
    groups: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for one in submissions:
        if not one.problem and one.lesson:
            groups[one.student, one.lesson].append(one)
    remark = _("Another notebook of this student for this lesson: {files}. All are graded.")
    result = []
    for one in submissions:
        others = [other for other in groups.get((one.student, one.lesson or ""), []) if other is not one]
        if others and not one.problem:
            named = ", ".join(cut(other.file, _NAMED) for other in others)
            one = replace(one, remarks=(remark.format(files=named), *one.remarks))
        result.append(one)
    return result

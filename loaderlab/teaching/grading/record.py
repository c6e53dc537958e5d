"""The notebooks of one student that count: of several of a lesson the best, or the last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loaderlab import course
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading import sheet
from loaderlab.teaching.grading.grade import SET, Result
from loaderlab.teaching.grading.statistics import by_lesson, tallies
from loaderlab.teaching.grading.weights import EQUAL, Weights

_COPY = re.compile(r"(\d{1,9})\)?\.ipynb$", re.IGNORECASE)  # Canvas: "-1", browsers: " (1)"


@dataclass(frozen=True)
class Record:
    """One student. ``counted``: lesson -> the notebook that counts; ``remarks`` are translated.

    ``number`` is the one that Moodle or Canvas gave, "" where the names of the files do not say.
    """

    student: str
    number: str
    counted: dict[str, Result]
    remarks: tuple[str, ...]


def records(results: Sequence[Result], keep: str = "best") -> list[Record]:
    """Return a record of each student, in the order of their names. ``keep``: whether the "best" or the "last" of several counts."""
    lessons = by_lesson(results)
    found = []
    for who in dict.fromkeys(map(_who, sorted(results, key=lambda one: one.submission.order))):
        theirs = {name: [one for one in group if _who(one) == who] for name, group in lessons.items()}
        counted = {name: _one(group, keep) for name, group in theirs.items() if group}
        mine = [one for one in results if _who(one) == who]
        problems = [one.submission.problem for one in mine if one.submission.problem]
        remarks = dict.fromkeys([*_several(theirs, keep), *problems, *_corrected(mine)])
        found.append(Record(*who, counted, tuple(remarks)))
    return found


def counted(results: Sequence[Result], keep: str = "best") -> set[int]:
    """Return the ids of the results that count, where one student handed in several of a lesson. ``keep``: see :func:`records`."""
    return {id(result) for record in records(results, keep) for result in record.counted.values()}


def write(path: Path, results: Sequence[Result], weights: Weights = EQUAL, keep: str = "best") -> None:
    """Write the table to ``path``; raises :class:`LabError` where that fails, and then changes nothing."""
    sheet.save(path, rows(results, weights, keep))


def rows(
    results: Sequence[Result], weights: Weights = EQUAL, keep: str = "best"
) -> Iterator[tuple[str | int, ...]]:
    """Yield the heading with what each column is worth; then a row for each student, in the order of their names.

    Points are as they were given; ``percent`` is the weighted part of all. ``number``: the one that Moodle or Canvas
    gave. An empty field: nothing was handed in that could be graded. ``keep``: see :func:`records`.
    """
    lessons = by_lesson(results)
    exercises = {name: tallies(group) for name, group in lessons.items()}
    heading: list[str | int] = ["student", "number"]
    for lesson, columns in exercises.items():
        file = course.lesson(lesson).file
        heading += [
            f"{file} {column.exercise} {_worth(column.maximum, weights.exercises.get(column.exercise))}"
            for column in columns
        ]
        top = sum(column.maximum for column in columns)
        heading.append(f"{file} {_worth(top, weights.lessons.get(lesson))}")
    top = sum(column.maximum for columns in exercises.values() for column in columns)
    yield (*heading, f"{sheet.TOTAL} (/{top})", "percent", "remarks")
    for record in records(results, keep):
        row: list[str | int] = [sheet.field(record.student), sheet.field(record.number)]
        for lesson, columns in exercises.items():
            one = record.counted.get(lesson)
            points = {grade.exercise: grade.verdict.points for grade in one.grades} if one else {}
            row += [points.get(column.exercise, "") for column in columns]
            row.append(one.points if one else "")
        total = sum(one.points for one in record.counted.values())
        percent = number(100 * weights.total(lessons, record.counted), 1)
        yield (*row, total, percent, sheet.field(" ".join(record.remarks)))


def _who(result: Result) -> tuple[str, str]:
    return result.submission.student, result.submission.number


def _one(results: Sequence[Result], keep: str) -> Result:
    return max(results, key=_age if keep == "last" else lambda result: result.points)


def _age(result: Result) -> tuple[float, int, str]:
    """Return when the file was changed; of equal times the copy with the higher number is the later one."""
    one = result.submission
    copy = _COPY.search(one.file)
    return one.changed, int(copy[1]) if copy else 0, one.file


def _several(theirs: dict[str, list[Result]], keep: str) -> Iterator[str]:
    best = _("{lesson}: the best of several notebooks counts.")
    last = _("{lesson}: the last of several notebooks counts.")
    for name, group in theirs.items():
        if len(group) > 1:
            yield (last if keep == "last" else best).format(lesson=course.lesson(name).file)


def _corrected(mine: Sequence[Result]) -> Iterator[str]:
    """Yield what the instructor said of the points that an override file sets."""
    for result in mine:
        for grade in result.grades:
            if grade.status == SET:
                yield f"{grade.exercise}: {' '.join(sheet.remarks(grade))}"


def _worth(points: int, weight: float | None) -> str:
    return f"(/{points})" if weight is None else f"(/{points}, ×{weight:g})"

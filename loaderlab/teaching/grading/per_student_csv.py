"""The grades of a class with a row for each student, for a gradebook: lessons and exercises side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from loaderlab import course
from loaderlab.i18n.language import number
from loaderlab.teaching.grading import sheet
from loaderlab.teaching.grading.grade import Result
from loaderlab.teaching.grading.record import records
from loaderlab.teaching.grading.statistics import by_lesson, tallies
from loaderlab.teaching.grading.weights import EQUAL, Weights


def write(path: Path, results: Sequence[Result], weights: Weights = EQUAL, keep: str = "best") -> None:
    """Write the table to ``path``; raises :class:`LabError` where that fails, and then changes nothing."""
    sheet.save(path, rows(results, weights, keep))


def rows(
    results: Sequence[Result], weights: Weights = EQUAL, keep: str = "best"
) -> Iterator[tuple[str | int, ...]]:
    """The heading with what each column is worth; then a row for each student, in the order of their names.

    Points are as they were given; ``percent`` is the weighted part of all. ``number``: the one that Moodle or Canvas
    gave. An empty field: nothing was handed in that could be graded. ``keep``: see :func:`record.records`.
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


def _worth(points: int, weight: float | None) -> str:
    return f"(/{points})" if weight is None else f"(/{points}, ×{weight:g})"

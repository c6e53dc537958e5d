"""Points that the instructor sets, with a comment, whatever the grader found: a CSV file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loaderlab import course
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading import rows
from loaderlab.teaching.grading.grade import SET, Grade, Result
from loaderlab.teaching.grading.rows import Row
from loaderlab.teaching.grading.student import plain
from loaderlab.teaching.grading.submission import Submission, of_student
from loaderlab.teaching.plain_text import clean

COLUMNS = ("student", "exercise", "points")  # in any order; "comment" may be one more, others are ignored


@dataclass(frozen=True)
class Override:
    """One row: whose answer to which exercise has how many points, and why."""

    student: str
    exercise: str
    points: int
    comment: str


def read(path: Path, submissions: Sequence[Submission]) -> list[Override]:
    """Return the overrides in ``path``, for these submissions. Raises :class:`LabError`, which names each wrong line."""
    _separator, table = rows.read(path)
    heading = [plain(field) for field in table[0].fields] if table else []
    if missing := [name for name in COLUMNS if name not in heading]:
        raise LabError(
            _(
                "{path} has no column {missing} in its first line. Expected: `student`, `exercise`, `points`, `comment`."
            ).format(path=path, missing=", ".join(missing))
        )
    found: dict[tuple[str, str], Override] = {}
    problems = []
    for row in table[1:]:
        override = _override(row, heading, submissions)
        if isinstance(override, Override) and (override.student, override.exercise) in found:
            override = _("The points of {student} for {exercise} are set above, too.").format(
                student=override.student, exercise=override.exercise
            )
        if isinstance(override, Override):
            found[override.student, override.exercise] = override
        else:
            problems.append(_("line {line}: {problem}").format(line=row.line, problem=override))
    if problems:
        said = _("{path} cannot be used. Mend it, and run the command again:").format(path=path)
        raise LabError("\n".join([said, *problems]))
    return list(found.values())


def apply(results: Sequence[Result], overrides: Sequence[Override]) -> list[Result]:
    """Return the results, with the points that the instructor set."""
    wanted = {(override.student, override.exercise): override for override in overrides}
    found = []
    for result in results:
        who = result.submission.student
        grades = (_overridden(grade, wanted.get((who, grade.exercise))) for grade in result.grades)
        found.append(replace(result, grades=tuple(grades)))
    return found


def _overridden(grade: Grade, override: Override | None) -> Grade:
    if override is None:
        return grade
    before, top = grade.verdict, grade.verdict.maximum
    message = _("Set by the instructor: {points}/{top} points.").format(points=override.points, top=top)
    graded = _("The grader gave {points}/{top}.").format(points=before.points, top=top)
    remarks = (graded, override.comment) if override.comment else (graded,)
    verdict = replace(before, points=override.points, message=message, attempted=True)
    return Grade(grade.exercise, verdict, SET, remarks)


def _override(row: Row, heading: Sequence[str], submissions: Sequence[Submission]) -> Override | str:
    """Return the override of the row, or what is wrong with it."""
    fields = dict(zip(heading, row.fields, strict=False))
    student, exercise, points = (fields.get(name, "") for name in COLUMNS)
    theirs = of_student(student, submissions)
    if not theirs:
        return _(
            "Nobody whose notebook could be read is called {student!r}. Expected: a name as the report shows it."
        ).format(student=student)
    if len({one.student for one in theirs}) > 1:
        names = ", ".join(dict.fromkeys(one.student for one in theirs))
        return _("{student!r} may be each of these: {names}.").format(student=student, names=names)
    known = dict(_exercises(theirs))
    if exercise not in known:
        return _("{student} handed in no exercise {exercise!r}. Expected: {known}.").format(
            student=theirs[0].student, exercise=exercise, known=", ".join(known)
        )
    if not re.fullmatch(r"\d{1,6}", points) or int(points) > known[exercise]:
        return _(
            "{points!r} is no number of points for {exercise}. Expected: a whole number from 0 to {top}."
        ).format(points=points, exercise=exercise, top=known[exercise])
    return Override(theirs[0].student, exercise, int(points), clean(fields.get("comment", "")))


def _exercises(submissions: Sequence[Submission]) -> Iterator[tuple[str, int]]:
    """Yield the exercises of their lessons, and the points that each is worth."""
    for one in submissions:
        if one.lesson:
            yield from ((name, found.points) for name, found in course.lesson(one.lesson).exercises().items())

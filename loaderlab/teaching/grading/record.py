"""What counts of all that one student handed in: of several notebooks of a lesson the best, or the last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loaderlab import course
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading import sheet
from loaderlab.teaching.grading.grade import SET, Result
from loaderlab.teaching.grading.statistics import by_lesson

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
    """A record of each student, in the order of their names. ``keep``: whether the "best" or the "last" of several counts."""
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


def _who(result: Result) -> tuple[str, str]:
    return result.submission.student, result.submission.number


def _one(results: Sequence[Result], keep: str) -> Result:
    return max(results, key=_age if keep == "last" else lambda result: result.points)


def _age(result: Result) -> tuple[float, int, str]:
    """When the file was changed; of equal times the copy with the higher number is the later one."""
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
    """What the instructor said of the points that an override file sets."""
    for result in mine:
        for grade in result.grades:
            if grade.status == SET:
                yield f"{grade.exercise}: {' '.join(sheet.remarks(grade))}"

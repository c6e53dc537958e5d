"""A page for each student with nobody else on it, in a zip file that Moodle hands out."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path, PurePath

from loaderlab import course
from loaderlab.course import outline
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import current
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.page import answer, document, items, text
from loaderlab.teaching.grading.record import counted
from loaderlab.teaching.grading.statistics import by_lesson
from loaderlab.teaching.grading.submission import MOST
from loaderlab.teaching.plain_text import clean, cut

PAGE = "feedback.html"
# Moodle takes the student's number from the folder; older versions want the underscore at its end.
FOLDER = "{name}_{number}_assignsubmission_file_"
LENGTH = 80  # characters of a student's name in that of a folder
_OURS = b"loaderlab feedback"  # comment of the zip file
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|_]')  # an underscore ends the name for Moodle


def expect_writable(path: Path) -> None:
    """Raise :class:`LabError` where ``path`` is none for the pages: no zip file, or one that others made."""
    if path.suffix.lower() != ".zip":
        raise LabError(
            _("The pages for students are written into one zip file. Expected: a name such as feedback.zip.")
        )
    if path.exists() and not _is_ours(path):
        raise LabError(
            _(
                "{path} would be replaced, and is no feedback that was written before. Choose a new name."
            ).format(path=path)
        )


def write(path: Path, results: Sequence[Result], keep: str = "best") -> None:
    """Write the zip file to ``path``; raises :class:`LabError` where that fails, and then changes nothing."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = _OURS
        for name, page in pages(results, keep).items():
            archive.writestr(name, page)
    atomic_write.write(path, content.getvalue())


def pages(results: Sequence[Result], keep: str = "best") -> dict[str, str]:
    """Return the path of each page in the zip file, and the page: one for each student, and in Moodle for each assignment.

    Who handed in nothing has none; one of another lesson than those that are graded says so where its student has nothing else.
    Without a number of Moodle's the folder has the student's name only. ``keep``: see
    :func:`record.records`.
    """
    counts = counted(results, keep)
    graded = {result.submission.student for result in results if result.grades}
    theirs: dict[tuple[str, str], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.submission.order):
        one = result.submission
        if one.file and not (one.problem and one.lesson and one.student in graded):
            number = one.participant or one.number
            theirs.setdefault((one.student, number), []).append(result)
    found: dict[str, str] = {}
    taken: set[str] = set()
    for (student, number), group in theirs.items():
        folder = _folder(student, number, taken)
        taken.add(folder.casefold())
        found[f"{folder}/{PAGE}"] = document(
            _("Feedback for {student}").format(student=cut(clean(student), LENGTH)), _body(group, counts)
        )
    return found


def _folder(student: str, number: str, taken: set[str]) -> str:
    """Return the name of a folder; not one of those ``taken``, which are without capitals as some systems compare them."""
    name = " ".join(_NOT_IN_NAMES.sub(" ", clean(student)).split()).strip(".")
    name, count = cut(name, LENGTH) or "-", 1
    while True:
        one = name if count == 1 else f"{name} {count}"
        folder = FOLDER.format(name=one, number=number) if number else one
        if folder.casefold() not in taken:
            return folder
        count += 1


def _body(results: Sequence[Result], counts: set[int]) -> Iterator[str]:
    """Yield the body of a page; ``counts``: the ids of the results that count, where one student handed in several of a lesson."""
    lessons = by_lesson(results)
    if not lessons:
        yield from _ungraded(results)
    other = _("Another of your notebooks of this lesson counts.")
    for lesson, group in lessons.items():
        parts = outline.read(course.lesson(lesson), current()).exercises
        headings = {part.exercise: part.heading for part in parts}
        for result in group:
            yield f"<h2>{escape(course.lesson(lesson).file)} · {result.points}/{result.maximum}</h2>"
            told = [*([] if id(result) in counts else [other]), *result.submission.told]
            yield f'<p class="quiet">{text(_file(result))}</p>{items(told)}'
            for grade in result.grades:
                heading = text(headings.get(grade.exercise, grade.exercise))
                yield f"<h3>{heading}</h3>{answer(_told(grade))}"


def _ungraded(results: Sequence[Result]) -> Iterator[str]:
    """Yield why nothing of this could be graded, and which files that is said of."""
    unread = _(
        "The following could not be graded. Hand in the notebook itself, as Jupyter saves it (.ipynb)."
    )
    other = _(
        "The following was not graded, because it belongs to another lesson. Hand in the notebook of the lesson that was "
        "asked for."
    )
    many = _(
        "The following was not graded, because there are more than {most} notebooks of one lesson. Hand in the one that "
        "counts."
    )
    lessons = [result.submission.lesson for result in results]
    files: dict[str, list[str]] = {}
    for result, lesson in zip(results, lessons, strict=True):
        left_out = many.format(most=MOST) if lessons.count(lesson) > MOST else other
        files.setdefault(left_out if lesson else unread, []).append(_file(result))
    for why, names in files.items():
        yield f"<p>{escape(why)}</p>{items(names)}"


def _file(result: Result) -> str:
    """Return the file as the student knows it, without the folders of whoever grades it."""
    return PurePath(result.submission.file).name


def _told(grade: Grade) -> Grade:
    """Return the grade as its student may read it: what a person must judge first is not told as if it were judged."""
    if not grade.doubtful:
        return grade
    message = _("Your instructor will look at this answer. So far: {points}/{top} points.")
    found = grade.verdict
    message = message.format(points=found.points, top=found.maximum)
    remarks = grade.remarks if grade.lacks else ()  # a package is no suspicion
    verdict = Verdict(found.points, found.maximum, message, attempted=False)
    return replace(grade, verdict=verdict, remarks=remarks)


def _is_ours(path: Path) -> bool:
    if not path.is_file():  # opening a pipe would wait for ever
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.comment == _OURS
    except (OSError, zipfile.BadZipFile):
        return False

"""A submission: one file that was handed in, whose it is, of which lesson, and its answers."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from loaderlab import course
from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading import answers, roster
from loaderlab.teaching.grading.answers import Cell, Unreadable
from loaderlab.teaching.grading.roster import Member
from loaderlab.teaching.grading.student import (
    Place,
    Student,
    in_name,
    is_late,
    names,
    other_names,
    plain,
    students,
)
from loaderlab.teaching.grading.uploads import Handed, files
from loaderlab.teaching.plain_text import clean, cut

_BEGIN = re.compile(r"\blab\.begin\(\s*[\"'](\w+)[\"']")
MOST = 10  # notebooks of one lesson that are graded for one student
_NAMED = 120  # characters of a file name inside a remark


@dataclass(frozen=True)
class Submission:
    """The content of one file. Where ``problem`` says why nothing of it can be graded, ``answers`` is empty.

    ``lesson`` is the lesson's name, None where it could not be told. ``answers``: exercise -> source of its
    cell, as written; ``cells``: the sources of all code cells. ``remarks`` and ``problem`` are translated; ``told`` are
    those of the remarks that concern the student, and nobody else. ``student`` and ``file`` can be shown; ``file`` is ""
    where nothing was handed in. ``number`` is the student's in Moodle or Canvas, "" where the names do not say;
    ``participant`` is the one that this file came with: Moodle has one for each assignment.
    ``changed``: as in :class:`Handed`.
    """

    student: str
    file: str
    lesson: str | None
    answers: dict[str, str] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    problem: str = ""
    number: str = ""
    told: tuple[str, ...] = ()
    changed: float = 0.0
    participant: str = ""

    @property
    def order(self) -> str:
        """The key that sorts a list of names: Ł beside L, and not after Z."""
        return plain(self.student)


def find(
    paths: Sequence[Path],
    only: Collection[str] = (),
    leave: Collection[Path] = (),
    student_from: str = "",
    members: Sequence[Member] = (),
    progress: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Submission]:
    """Return every submission at these paths: notebooks, folders, zip files; ``only`` grades these lessons and lists the rest.

    ``progress(done, total, name)`` is called for each file; how many there are is not known, so both numbers count.
    ``members``: the class; who of it handed in nothing has a submission with that problem.
    ``leave``: files that are none, such as the grader's own reports. ``student_from``: see :func:`student.students`.
    Raises :class:`LabError` for a path or a lesson that does not exist, and where there is no file at all.
    """
    for name in only:
        course.lesson(name)
    lessons = course.lessons()
    found: list[tuple[Place, Submission]] = []
    for one in files(paths, leave):
        submission = replace(_submission(one, lessons, only), changed=one.changed)
        if is_late(one.parts):
            late = _("Canvas marks it as handed in late.")
            submission = replace(submission, remarks=(late, *submission.remarks))
        progress(len(found) + 1, len(found) + 1, one.file)
        found.append((Place(one.parts, one.root, submission.lesson), submission))
    if not found:
        raise LabError(
            _(
                "There is no notebook in {paths}. Expected: files whose names end in .ipynb. Check the path."
            ).format(paths=", ".join(map(str, paths)))
        )
    everyone = students([place for place, _one in found], lessons, student_from)
    found = [
        (place, _bearing(replace(one, participant=who.number), other_names(place.parts, who)))
        for who, (place, one) in zip(everyone, found, strict=True)
    ]
    if len(found) > 1:  # whose the only one is, its reader knows
        unread = _(
            "No name could be read from the path of this file. Say with `--student-from` where the name stands."
        )
        found = [
            (place, one if who.told else replace(one, remarks=(unread, *one.remarks)))
            for who, (place, one) in zip(everyone, found, strict=True)
        ]
    if members:
        everyone, found = _called(everyone, found, members)
    shown = names(everyone)
    return _told_apart(
        [
            replace(one, student=shown[who], number=who.number)
            for who, (_place, one) in zip(everyone, found, strict=True)
        ]
    )


def _bearing(one: Submission, others: Sequence[str]) -> Submission:
    """Give a file that bears other names than its student's a remark: it may have been handed on."""
    if not others:
        return one
    remark = _("The path of this file has another name in it, too: {names}. Find out whose work it is.")
    named = ", ".join(cut(clean(name), _NAMED) for name in others[:3])
    return replace(one, remarks=(remark.format(names=named), *one.remarks))


def of_student(name: str, submissions: Sequence[Submission]) -> list[Submission]:
    """Return the graded notebooks of whoever is called so in the report, or has this number of Moodle or Canvas."""
    graded = [one for one in submissions if not one.problem]
    return (
        [one for one in graded if one.student == name]
        or [one for one in graded if plain(one.student) == plain(name)]
        or [one for one in graded if one.number and one.number == name]
    )


def chosen(
    submissions: Sequence[Submission], students: Collection[str], exercises: Collection[str]
) -> set[tuple[int, str]]:
    """Return the answers that are probed again, though an earlier run did: each a submission (by its place) and an exercise.

    They are those of some students, or to some exercises; with both given, of these students to these exercises.
    A student is called as the report does, or by the number of Moodle or Canvas. Raises :class:`LabError` for what
    nobody is called, or has an answer to.
    """
    theirs = {name: of_student(name, submissions) for name in students}
    answered = {name for one in submissions for name in one.answers}
    if missing := [name for name, found in theirs.items() if not found]:
        raise LabError(
            _(
                "Nobody whose notebook could be read is called {student!r}. Expected: a name as the report shows it."
            ).format(student=missing[0])
        )
    if missing := [name for name in exercises if name not in answered]:
        raise LabError(
            _("Nobody has an answer to the exercise {names}. Expected, for example: {known}.").format(
                names=", ".join(missing), known=", ".join(sorted(answered)[:5])
            )
        )
    return {
        (n, name)
        for n, one in enumerate(submissions)
        if not students or any(one in found for found in theirs.values())
        for name in one.answers
        if name in exercises or not exercises
    }


def lessons(submissions: Sequence[Submission]) -> list[str]:
    """Return the names of the lessons that are graded, in the order of the course."""
    found = {one.lesson for one in submissions if not one.problem}
    return [lesson.name for lesson in course.lessons() if lesson.name in found]


def _called(
    everyone: Sequence[Student], found: Sequence[tuple[Place, Submission]], members: Sequence[Member]
) -> tuple[list[Student], list[tuple[Place, Submission]]]:
    """Return the same, with the names of the class; and those who handed in nothing after them."""
    meant = roster.settle(everyone, members)
    unknown = _("This name is not on the class list, or not only once.")
    # Of two names of one person, only one may have the number.
    numbers = {member: who.number for who, member in meant.items() if who.number}
    called = [
        Student(meant[who].name, numbers.get(meant[who], ""), str(members.index(meant[who])))
        if who in meant
        else who
        for who in everyone
    ]
    kept = [
        (place, one if who in meant or one.problem else replace(one, remarks=(unknown, *one.remarks)))
        for who, (place, one) in zip(everyone, found, strict=True)
    ]
    for number, member in enumerate(members):
        if member not in meant.values():
            called.append(Student(member.name, "", str(number)))
            nothing = Submission("", "", None, problem=_("Nothing was handed in."))
            kept.append((Place((), 0, None), nothing))
    return called, kept


def _submission(handed: Handed, lessons: Sequence[Lesson], only: Collection[str]) -> Submission:
    empty = Submission("", clean(handed.file), None)
    if handed.problem:
        return replace(empty, problem=clean(handed.problem))
    try:
        notebook = answers.parse(handed.content)
        cells = answers.code_cells(notebook)
    except Unreadable as error:
        return replace(empty, problem=clean(str(error)))
    named = next((lesson for lesson in lessons if in_name(lesson).search(handed.parts[-1])), None)
    lesson = _lesson(notebook, cells, lessons) or named
    if lesson is None:
        return replace(
            empty,
            problem=_(
                "It is not clear to which lesson this notebook belongs. Give its file the lesson's name: {example}."
            ).format(example=f"{lessons[0].file}.ipynb"),
        )
    if only and lesson.name not in only:
        problem = _("This is a notebook of the lesson {lesson}, but you asked only for {only}.")
        return replace(
            empty,
            lesson=lesson.name,
            problem=problem.format(lesson=lesson.name, only=", ".join(sorted(only))),
        )
    taken, remarks = answers.take(cells, lesson)
    told = tuple(remarks)
    if named not in (None, lesson):
        remarks.insert(0, _("The file has the name of another lesson: {name}.").format(name=named.file))
    if _about(notebook).get("kind") == "solutions":
        remarks.insert(0, _("This is the course's own solution notebook, or was made from it."))
    # Most cells of a class are the same: each text is kept once.
    sources = tuple(sys.intern(cell.source) for cell in cells)
    return replace(empty, lesson=lesson.name, answers=taken, cells=sources, remarks=tuple(remarks), told=told)


def _lesson(notebook: dict[str, Any], cells: Sequence[Cell], lessons: Sequence[Lesson]) -> Lesson | None:
    """Return the lesson that the notebook itself says it is of: in its metadata, or where it begins."""
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
    """Give each of several notebooks of one lesson by one student a remark that names the others."""
    groups: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for one in submissions:
        if not one.problem and one.lesson:
            groups[one.student, one.lesson].append(one)
    remark = _("This student handed in more for this lesson: {files}. All notebooks are graded.")
    many = _("This student handed in more than {most} notebooks of this lesson. Ask for the one that counts.")
    result = []
    for one in submissions:
        group = groups.get((one.student, one.lesson or ""), [])
        if one.problem or len(group) == 1:
            result.append(one)
        elif len(group) > MOST:
            result.append(replace(one, answers={}, cells=(), problem=many.format(most=MOST)))
        else:
            named = ", ".join(cut(other.file, _NAMED) for other in group if other is not one)
            result.append(replace(one, remarks=(remark.format(files=named), *one.remarks)))
    return result

"""Grade submissions: each answer goes to a slot of the zygote, its evidence comes back and is judged here."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from loaderlab import course
from loaderlab.course import Lesson
from loaderlab.exercises.exercise import Exercise
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import current, use
from loaderlab.i18n.language import number as counted
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.machine import MIB
from loaderlab.teaching.grading import answers, judging, visible_package
from loaderlab.teaching.grading.context_cells import Given, given
from loaderlab.teaching.grading.grade import Grade, Result
from loaderlab.teaching.grading.journal import Journal
from loaderlab.teaching.grading.slots import Slots, Task, protection
from loaderlab.teaching.grading.submission import Submission
from loaderlab.teaching.grading.workdir import room


def grade(
    submissions: Sequence[Submission],
    *,
    jobs: int,
    journal: Path | None = None,
    resume: bool = False,
    again: Collection[tuple[int, str]] = (),
    confined: bool = True,
    progress: Callable[[int, int, str], None] = lambda done, total, student: None,
) -> tuple[list[Result], list[str]]:
    """Grade every answer of every submission, ``jobs`` at a time; the results in the order of the submissions.

    Beside them sentences about the run: protections, memory. ``progress(done, total, student)`` is called after each
    answer. ``journal`` keeps what was probed; with ``resume`` that is not probed again, but for those ``again``: places of
    submissions, and exercises. ``confined``: in bubblewrap; raises :class:`LabError` where that does not start, and where
    this system cannot fork.
    """
    if not hasattr(os, "fork"):
        raise LabError(
            _("Grading needs a system that can fork a process. On Windows, run this command in WSL.")
        )
    names = sorted({s.lesson for s in submissions if s.lesson and s.answers})
    lessons = {name: course.lesson(name) for name in names}
    offers = {name: given(lesson) for name, lesson in lessons.items()}
    grades: dict[tuple[int, str], Grade] = {}
    language = current()
    try:
        with room() as folder:
            book = Journal(journal, resume, visible_package.pack(folder / "kit"))
            tasks = _tasks(submissions, lessons, offers)

            def arrived(task: Task, response: Any) -> None:
                """Judged at once: evidence may be large, a grade is not."""
                number, name = task.name
                submission = submissions[number]
                lesson = lessons[submission.lesson or ""]
                use(language, lesson.folder)
                exercise = lesson.exercises()[name].of_answer(submission.answers[name])
                grades[task.name] = judging.judge(exercise, response, submission.cells)
                use(language)

            def probed(task: Task, response: Any) -> None:
                arrived(task, response)
                if not grades[task.name].lacks:  # once these are installed, `--resume` grades it anew
                    book.add(task.request, response)
                progress(len(grades), len(tasks), task.student)

            for task in tasks:
                if task.name not in again and (found := book.get(task.request)) is not None:
                    arrived(task, found)
            kept = len(grades)
            progress(len(grades), len(tasks), "")
            left = [task for task in tasks if task.name not in grades]
            notes = _probe(left, folder, offers, jobs, book, confined, probed)
            if kept:
                earlier = _("Answers taken from an earlier run: {kept}; graded now: {graded}.")
                notes.append(earlier.format(kept=kept, graded=len(tasks) - kept))
        results = [_result(s, n, language, lessons, grades) for n, s in enumerate(submissions)]
    finally:
        use(language)
    return results, notes


def _tasks(
    submissions: Sequence[Submission], lessons: Mapping[str, Lesson], offers: Mapping[str, Given]
) -> list[Task]:
    tasks = []
    for number, submission in enumerate(submissions):
        for name, answer in submission.answers.items():
            exercise = lessons[submission.lesson or ""].exercises()[name].of_answer(answer)
            request = _request(submission, lessons, exercise, offers)
            tasks.append(Task((number, name), submission.student, exercise.probe, request))
    return tasks


def _probe(
    tasks: Sequence[Task],
    folder: Path,
    offers: Mapping[str, Given],
    jobs: int,
    book: Journal,
    confined: bool,
    arrived: Callable[[Task, Any], None],
) -> list[str]:
    """Run the tasks, and say what protected this machine."""
    peak = 0
    if tasks:
        probes = [task.probe for task in tasks]
        with Slots(folder, offers, probes, min(jobs, len(tasks)), confined) as slots:
            book.protect({"confined": confined})
            slots.work(tasks, arrived)
            peak = slots.peak
    notes = [protection(kept["confined"]) for kept in book.protections]
    if notes:
        notes.append(
            _(
                "An answer runs in the same process as what tests it: whoever studies the grader's source can forge the "
                "result. Where much depends on the points, look at the answers, too."
            )
        )
    if peak:
        most = _("Memory of all processes together, at the peak: {mib} MiB.").format(mib=counted(peak / MIB))
        notes.append(most)
    return notes


def _request(
    submission: Submission, lessons: Mapping[str, Lesson], exercise: Exercise, offers: Mapping[str, Given]
) -> dict[str, Any]:
    """Return the request to the sandbox: the answer, and what the lesson and the learner's other cells offer to it.

    ``calls`` tells a later run whether this answer would be called in the same way.
    """
    lesson = lessons[submission.lesson or ""]
    offer, answer = offers[lesson.name], submission.answers[exercise.name]
    calls = zlib.crc32(repr(exercise.table and exercise.table.calls).encode())
    request = {"lesson": lesson.name, "exercise": exercise.name, "calls": calls, "answer": answer}
    if exercise.kind == "file":
        name = answers.file_name(lesson, exercise.name)
        files = offer.files | answers.files([*submission.cells, answer])
        return request | {"cells": [], "statements": [], "files": files, "file": name}
    cells = list(submission.cells)
    place = cells.index(answer) if answer in cells else 0
    # First those below, so that of two definitions the one above the answer counts.
    others = [cell for cell in [*cells[place:], *cells[:place]] if cell != answer]
    files = offer.files | answers.files(cells)
    return request | {"cells": others, "statements": offer.statements, "files": files}


def _result(
    submission: Submission,
    number: int,
    language: str,
    lessons: Mapping[str, Lesson],
    grades: Mapping[tuple[int, str], Grade],
) -> Result:
    if submission.problem:
        return Result(submission, ())
    lesson = lessons.get(submission.lesson or "") or course.lesson(submission.lesson or "")
    use(language, lesson.folder)
    exercises = lesson.exercises().items()
    theirs = (grades.get((number, name)) or judging.missing(exercise) for name, exercise in exercises)
    return Result(submission, tuple(theirs))

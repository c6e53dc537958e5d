"""Grade submissions: each answer goes to a slot of the zygote, its evidence comes back and is judged here."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from loaderlab import course
from loaderlab.course import Lesson
from loaderlab.errors import LabError
from loaderlab.language import current, use
from loaderlab.language import translate as _
from loaderlab.workshop.grading import judging, kit
from loaderlab.workshop.grading.given import Given, given
from loaderlab.workshop.grading.grade import Result
from loaderlab.workshop.grading.journal import Journal
from loaderlab.workshop.grading.slots import Broken, Slots, Task
from loaderlab.workshop.grading.submission import Submission


def grade(
    submissions: Sequence[Submission],
    *,
    jobs: int,
    journal: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, total, student: None,
) -> tuple[list[Result], list[str]]:
    """Grade every answer of every submission, ``jobs`` at a time; the results in the order of the submissions.

    Beside them sentences about the run: protections, memory. ``progress(done, total, student)`` is called after each
    answer. ``journal`` keeps what was probed; with ``resume`` that is not probed again. The caller deletes it.
    Raises :class:`LabError` where this system cannot fork.
    """
    if not hasattr(os, "fork"):
        raise LabError(
            _("Grading needs a system that can fork a process. On Windows, run this command in WSL.")
        )
    names = sorted({s.lesson for s in submissions if s.lesson and s.answers})
    lessons = {name: course.lesson(name) for name in names}
    probes = {name: lesson.probes() for name, lesson in lessons.items()}
    offers = {name: given(lesson) for name, lesson in lessons.items()}
    with tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as folder:
        digest = kit.pack(Path(folder, "kit"))
        book = Journal(journal, resume, digest)
        tasks = [
            Task((number, name), s.student, _request(s, name, offers), probes[s.lesson][name].alone)
            for number, s in enumerate(submissions)
            for name in s.answers
        ]
        responses = {task.name: found for task in tasks if (found := book.get(task.request)) is not None}

        def arrived(task: Task, response: Any) -> None:
            book.add(task.request, response)
            responses[task.name] = response
            progress(len(responses), len(tasks), task.student)

        progress(len(responses), len(tasks), "")
        left = [task for task in tasks if task.name not in responses]
        notes = _probe(left, Path(folder), offers, jobs, arrived)
    language = current()
    try:
        results = [_result(s, n, lessons, responses) for n, s in enumerate(submissions)]
    finally:
        use(language)
    return results, notes


def _probe(
    tasks: Sequence[Task],
    folder: Path,
    offers: Mapping[str, Given],
    jobs: int,
    arrived: Callable[[Task, Any], None],
) -> list[str]:
    """Run the tasks, and say what protected this machine.

    Where an answer ended the grader's own processes, those that were running then run once more, alone.
    """
    notes: list[str] = []
    done: set[Task] = set()

    def arrives(task: Task, response: Any) -> None:
        done.add(task)
        arrived(task, response)

    def attempt(some: Sequence[Task], count: int) -> Sequence[Task]:
        with Slots(folder, offers, min(count, len(some))) as slots:
            try:
                slots.work(some, arrives)
            except Broken as broken:
                return broken.suspects
            finally:
                notes[:] = slots.notes()
        return ()

    while left := [task for task in tasks if task not in done]:
        for suspect in attempt(left, jobs):
            if attempt([suspect], 1):
                arrives(suspect, {"status": "broke"})
    return notes


def _request(submission: Submission, exercise: str, offers: Mapping[str, Given]) -> dict[str, Any]:
    offer = offers[submission.lesson or ""]
    return {
        "lesson": submission.lesson,
        "exercise": exercise,
        "answers": submission.answers,
        "statements": offer.statements,
        "files": offer.files,
    }


def _result(
    submission: Submission,
    number: int,
    lessons: Mapping[str, Lesson],
    responses: Mapping[tuple[int, str], Any],
) -> Result:
    if submission.problem:
        return Result(submission, ())
    lesson = lessons.get(submission.lesson or "") or course.lesson(submission.lesson or "")
    use(current(), lesson.folder)
    grades = [
        judging.judge(exercise, responses[number, name])
        if (number, name) in responses
        else judging.missing(exercise)
        for name, exercise in lesson.exercises().items()
    ]
    return Result(submission, tuple(grades))

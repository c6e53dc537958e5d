"""Answers to the exercises: each is probed once, and a wrong one judged in every language from that evidence.

``tests/lessons/<lesson>/answers/<exercise>.py`` has cells ``# %% right: style`` and ``# %% wrong: what · fails 0, 2``, each as
written into the answer cell; of a wrong one the title names the findings that must fail. What several of them share is in a
first cell ``# %% given``, which comes before each. A new lesson gets the same bench by writing answers.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch_ready
from loaderlab import course
from loaderlab.exercises.exercise import Exercise, Verdict, verdict
from loaderlab.exercises.probing import Probe, collect
from loaderlab.i18n import language
from loaderlab.measuring import child
from loaderlab.publish import code, source
from loaderlab.teaching.grading.context_cells import given
from places import ROOT

PATIENCE = 10  # times that of a learner's check, since a busy machine must not change what is found
_TITLE = re.compile(
    r"(?P<given>given)|(?P<name>right: .+|wrong: .+(?= · ))(?: · fails (?P<fails>\d+(?:, \d+)*))?"
)
_WRITE = re.compile(r"%%writefile \{lab\.scratch\}/(\S+)\n")


@dataclass(frozen=True)
class Answer:
    """An answer that somebody may write into the answer cell of an exercise, and the findings that must fail."""

    lesson: str
    exercise: str
    name: str
    text: str
    fails: frozenset[int] = frozenset()

    @property
    def id(self) -> str:
        return f"{self.lesson}-{self.exercise}-{self.name}"

    @property
    def right(self) -> bool:
        return not self.fails

    @property
    def judge(self) -> Exercise:
        """The exercise, with the cases that are drawn for this answer."""
        return course.lesson(self.lesson).exercises()[self.exercise].of_answer(self.text)

    @property
    def made(self) -> Any:
        """The function or class that it defines, after what the lesson gives, made anew: what it gives can be large."""
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for statement in _given(self.lesson):
            # What needs a cell that was not run is not needed by an answer, nor what a cell prints.
            with suppress(Exception), redirect_stdout(None):
                exec(statement, namespace)
        exec(compile(self.text, f"{self.id}.py", "exec"), namespace)
        return namespace[self.exercise]

    @cached_property
    def collected(self) -> dict[str, Any]:
        """The evidence that the probe collects of the answer."""
        probe = self.judge.probe
        if probe.kind == "file":
            return self._collected_of_file(probe)
        return collect(replace(probe, seconds=PATIENCE * probe.seconds), self.made)

    def _collected_of_file(self, probe: Probe) -> dict[str, Any]:
        """Collect with the lesson's other files beside the answer, as their solutions write them: it may build on one."""
        with tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as place:
            for exercise in course.lesson(self.lesson).exercises():
                if found := _WRITE.match(_of_lesson(self.lesson, exercise)):
                    text = self.text if exercise == self.exercise else _of_lesson(self.lesson, exercise)
                    Path(place, found[1]).write_text(_WRITE.sub("", text, count=1), "utf-8")
            written = _WRITE.match(_of_lesson(self.lesson, self.exercise))
            assert written, f"{self.exercise}: its cell writes no file."
            # The solution runs as a learner's check does, the others as in the class grader; rates need a real start.
            real = self.name == "solution" or probe.serial or sys.platform != "linux"
            with patch.object(child, "run", partial(_patiently, child.run if real else torch_ready.run)):
                return collect(replace(probe, seconds=PATIENCE * probe.seconds), Path(place, written[1]))

    def verdict(self, code: str = "en") -> Verdict:
        """Return the judge's verdict, in this language."""
        found = self.collected
        language.use(code, course.lesson(self.lesson).folder)
        return verdict(self.judge, found)


def _patiently(
    run: Callable[..., child.Outcome], *words: Any, timeout: float, **options: Any
) -> child.Outcome:
    return run(*words, timeout=PATIENCE * timeout, **options)


@cache
def _given(lesson: str) -> tuple[str, ...]:
    return given(course.lesson(lesson)).statements


@cache
def _cells(lesson: str) -> tuple[source.Cell, ...]:
    return source.read(course.lesson(lesson)).cells


def _of_lesson(lesson: str, exercise: str) -> str:
    """Return the answer cell of an exercise, with its solution."""
    answer = (source.ANSWER, exercise)
    return next(cell.source for cell in _cells(lesson) if (cell.role, cell.exercise) == answer)


def solution(lesson: str, exercise: str) -> Answer:
    """Return the lesson's own solution."""
    return Answer(lesson, exercise, "solution", _of_lesson(lesson, exercise))


def stub(lesson: str, exercise: str) -> Answer:
    """Return the exercise as the learner first finds it."""
    return Answer(lesson, exercise, "stub", code.stub(_of_lesson(lesson, exercise), exercise, ""))


def answers(lesson: str, exercise: str) -> list[Answer]:
    """Return the answers of the exercise's file, right ones first."""
    path = ROOT / "tests/lessons" / lesson / "answers" / f"{exercise}.py"
    before, found = "", []
    for cell in re.split(r"^# %% ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title, _newline, text = cell.partition("\n")
        written = _TITLE.fullmatch(title)
        assert written, (
            f"{path}: `# %% {title}` says neither what is given, nor right, nor wrong and what fails."
        )
        if written["given"]:
            before = f"{text}\n\n"
            continue
        fails = frozenset(map(int, (written["fails"] or "").split(", "))) if written["fails"] else frozenset()
        found.append(Answer(lesson, exercise, written["name"], before + text.strip("\n") + "\n", fails))
    return found


def named(lesson: str, exercise: str, name: str) -> Answer:
    """Return the answer of this name: "right: loop"."""
    return next(answer for answer in answers(lesson, exercise) if answer.name == name)


def exercises() -> list[tuple[str, str]]:
    """Return every exercise of the course: the name of its lesson, and its own."""
    return [(lesson.name, name) for lesson in course.lessons() for name in lesson.exercises()]

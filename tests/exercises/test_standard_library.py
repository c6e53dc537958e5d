"""Where there is no torch, such as in a browser, the exercises that need none are probed and judged as they are here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

from answers import Answer, answers, exercises, solution
from loaderlab import course
from loaderlab.teaching.grading.context_cells import given
from places import ROOT

# What is said where there is a package too few, or a name that the lesson imports from one.
LACKING = r"No module named '|name '\w+' is not defined"

# Without site, no package that is installed is found. All of the exercises are asked for, so all modules are imported.
CHILD = """
import contextlib, json, sys
asked = json.load(sys.stdin)
sys.path.insert(0, asked["root"])
from loaderlab import course
from loaderlab.exercises.exercise import verdict
from loaderlab.exercises.probing import collect
missed = []
for lesson, name, statements, text in asked["answers"]:
    exercise, namespace = course.lesson(lesson).exercises()[name].of_answer(text), {"__name__": "__main__"}
    with contextlib.redirect_stdout(None):
        for statement in statements:
            with contextlib.suppress(Exception):
                exec(statement, namespace)
        try:
            exec(text, namespace)
            collected = collect(exercise.probe, namespace[name])
            found = verdict(exercise, collected).findings
        except Exception as error:
            missed.append([None, repr(error)])
        else:
            failed = [index for index, finding in enumerate(found) if not finding.passed]
            why = [verdict(exercise, collected).message, *(finding.got for finding in found if not finding.passed)]
            missed.append([failed if found else None, " ".join(why)])
print(json.dumps(missed))
"""


class Judged(NamedTuple):
    missed: list[int] | None
    why: str


def judged(asked: list[Answer]) -> list[Judged]:
    """Of each answer the findings that fail there, None where it cannot be judged, and what was said."""
    statements = {lesson.name: given(lesson).statements for lesson in course.lessons()}
    content = {
        "root": str(ROOT),
        "answers": [[a.lesson, a.exercise, statements[a.lesson], a.text] for a in asked],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", CHILD], input=json.dumps(content), capture_output=True, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    missed: list[list[Any]] = json.loads(done.stdout)
    return [Judged(*each) for each in missed]


@pytest.fixture(scope="module")
def solved() -> dict[tuple[str, str], Judged]:
    """Of each exercise that is no file: what its solution misses there, or why it cannot run."""
    asked = [
        solution(*where)
        for where in exercises()
        if course.lesson(where[0]).exercises()[where[1]].probe.kind != "file"
    ]
    return {(a.lesson, a.exercise): missed for a, missed in zip(asked, judged(asked), strict=True)}


def test_an_exercise_that_is_not_solved_there_lacks_a_package(solved: dict[tuple[str, str], Judged]) -> None:
    unsolved = {where: found.why for where, found in solved.items() if found.missed != []}
    assert {where: why for where, why in unsolved.items() if not re.search(LACKING, why)} == {}


def test_each_lesson_has_one_that_is(solved: dict[tuple[str, str], Judged]) -> None:
    assert {lesson for (lesson, _name), found in solved.items() if found.missed == []} == {
        lesson.name for lesson in course.lessons()
    }


@pytest.mark.long
def test_there_a_wrong_answer_fails_as_it_does_here(solved: dict[tuple[str, str], Judged]) -> None:
    right = {where for where, found in solved.items() if found.missed == []}
    wrong = [
        answer
        for where in sorted(right)
        for answer in answers(*where)
        if not answer.right and not any(package in answer.text for package in ("numpy", "torch"))
    ]
    assert {(answer.lesson, answer.exercise) for answer in wrong} == right
    assert {
        answer.id: found
        for answer, found in zip(wrong, judged(wrong), strict=True)
        if found.missed != sorted(answer.fails)
    } == {}

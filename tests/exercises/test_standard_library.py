"""Where there is no torch, such as in a browser, the exercises that need none are probed and judged as they are here."""

from __future__ import annotations

import json
import subprocess
import sys

from answers import Answer, answers, exercises, solution
from loaderlab import course
from loaderlab.teaching.grading.context_cells import given
from places import ROOT

# The exercises whose solution needs nothing but the standard library.
PLAIN = {
    "start_here": {"number_of_batches", "wait_and_compute", "tiny_loader", "headroom"},
    "workers": {"choose_num_workers", "arrivals"},
    "pin_memory": {"step_time", "races"},
    "warps": {"row_order", "best_rows", "choose_batch_size", "spot_quantisation"},
    "shared_memory": {"fits"},
    "copy_on_write": {"who_copied", "copied_pages"},
    "webdataset": {"once_each", "plan_shards"},
    "ddp_sampling": {"coverage", "assign_shards"},
    "find_the_bottleneck": {"which_repairs", "busy_share"},
}

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
    exercise, namespace = course.lesson(lesson).exercises()[name], {"__name__": "__main__"}
    with contextlib.redirect_stdout(None):
        for statement in statements:
            with contextlib.suppress(Exception):
                exec(statement, namespace)
        try:
            exec(text, namespace)
            found = verdict(exercise, collect(exercise.probe, namespace[name])).findings
        except Exception as error:
            missed.append(repr(error))
        else:
            failed = [index for index, finding in enumerate(found) if not finding.passed]
            missed.append(failed if found else "no finding")
print(json.dumps(missed))
"""


def judged(asked: list[Answer]) -> list[list[int] | str]:
    """Of each answer the findings that fail there, or the error that it ends with."""
    statements = {lesson: given(course.lesson(lesson)).statements for lesson in PLAIN}
    content = {
        "root": str(ROOT),
        "answers": [[a.lesson, a.exercise, statements[a.lesson], a.text] for a in asked],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", CHILD], input=json.dumps(content), capture_output=True, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    missed: list[list[int] | str] = json.loads(done.stdout)
    return missed


def test_the_exercises_that_need_no_package_are_solved_without_one() -> None:
    asked = [
        solution(*where)
        for where in exercises()
        if course.lesson(where[0]).exercises()[where[1]].probe.kind != "file"
    ]
    right: dict[str, set[str]] = {}
    for answer, missed in zip(asked, judged(asked), strict=True):
        if missed == []:
            right.setdefault(answer.lesson, set()).add(answer.exercise)
    assert right == PLAIN


def test_there_a_wrong_answer_fails_as_it_does_here() -> None:
    wrong = [
        answer
        for lesson, names in PLAIN.items()
        for name in sorted(names)
        for answer in answers(lesson, name)
        if not answer.right and not any(package in answer.text for package in ("numpy", "torch"))
    ]
    assert {(answer.lesson, answer.exercise) for answer in wrong} == {
        (a, b) for a, names in PLAIN.items() for b in names
    }
    assert {
        answer.id: missed
        for answer, missed in zip(wrong, judged(wrong), strict=True)
        if missed != sorted(answer.fails)
    } == {}

"""What is right in a notebook is right in the class grader: whatever else stands in the answer's cell, and in others."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from handed_in import hand_in, student
from loaderlab import course
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n import language
from loaderlab.notebook import undefined_names
from loaderlab.notebook.card import Card
from loaderlab.teaching.grading import answers, judging, packages, run, slots, submission
from loaderlab.teaching.grading.grade import Grade

NAME = "choose_num_workers"
HEAD = f"def {NAME}(throughputs, tolerance=0.05):\n"
BODY = """    middle, best = {}, 0
    for workers, values in throughputs.items():
        ordered, n = sorted(values), len(values)
        middle[workers] = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
        best = max(best, middle[workers])
    return min(workers for workers in middle if middle[workers] >= (1 - tolerance) * best)
"""
PLAIN = HEAD + BODY
HELPED = HEAD + BODY.replace("max(", "later(").replace(" 1)", " ONE)")
HELPER = "import builtins\nONE = 2 - 1\ndef later(a, b):\n    return builtins.max(a, b)\n"
LACKING = (
    "%matplotlib inline\nimport not_here.at_all as nothing\n"
    + HEAD
    + "    return nothing.rounded(tolerance)\n"
)
INDENTED = "".join(f"    {line}\n" for line in PLAIN.splitlines())

# What is said of it: the answer's cell, a cell above it, one below it.
RIGHT = {
    "plain": (PLAIN, "", ""),
    "helpers in a cell above": (HELPED, HELPER, ""),
    "helpers in a cell below": (HELPED, "", HELPER),
    "helpers beside what fails": (HELPED, "swept.rows\n" + HELPER, ""),
    "another check above": ('lab.check("StatelessAugment", StatelessAugment)\n' + PLAIN, "", ""),
    "what is not here above": ("swept.rows\nimport google.colab\n" + PLAIN, "", ""),
    "all indented": (INDENTED, "", ""),
    "in a condition": ("if True:\n" + INDENTED, "", ""),
    "a coroutine awaited above": ("import asyncio\nawait asyncio.sleep(0)\n" + PLAIN, "", ""),
    "magics above": ("%%time\n%%capture\n!ls\n%matplotlib inline\n" + PLAIN, "", ""),
    "a slow line above": ("import time\ntime.sleep(60)\n" + PLAIN, "", ""),
    "a line below that never ends": (PLAIN + "while True: pass\n", "", ""),
    "a name for another function": ("def mine" + PLAIN.removeprefix(f"def {NAME}") + f"{NAME} = mine\n", "", ""),
    "imported from a file that a cell writes": (
        f"from own import {NAME}\n", "%%writefile {lab.scratch}/own.py\n" + PLAIN, ""
    ),
}  # fmt: skip
SLOW = ("a slow line above", "a line below that never ends")
# A cell is stopped after 5 s instead of 20, which shows as much.
SOONER = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from loaderlab.teaching.grading import runner, zygote; "
    "runner.DEFINING = 5.0; zygote.main()"
)


def handed_in(answer: str, above: str, below: str) -> dict[str, Any]:
    notebook = student("workers", {NAME: answer})
    cells = notebook["cells"]
    place = next(n for n, cell in enumerate(cells) if cell.get("id") == f"answer-{NAME}")
    for where, source in ((place + 1, below), (place, above)):
        if source:
            cells.insert(where, {"cell_type": "code", "source": source, "metadata": {}, "outputs": []})
    return notebook


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Grade]:
    if not hasattr(os, "fork"):
        pytest.skip("This system cannot fork.")
    language.use("en")
    folder = tmp_path_factory.mktemp("class")
    for number, cells in enumerate(RIGHT.values()):
        hand_in(folder, f"student{number:02d}", handed_in(*cells))
    hand_in(folder, "lacking", handed_in(LACKING, "", ""))
    hand_in(folder, "measured", handed_in(HELPED, "ONE = int(lab.measure())\nlater = min", ""))
    checked = handed_in("# below", "", "")
    for cell in checked["cells"]:
        if "".join(cell["source"]).startswith(f'lab.check("{NAME}"'):
            cell["source"] = PLAIN + "".join(cell["source"])
    hand_in(folder, "checked", checked)
    with patch.object(slots, "_MAIN", SOONER):
        results, _notes = run.grade(submission.find([folder]), jobs=2)
    return {
        result.submission.student: grade
        for result in results
        for grade in result.grades
        if grade.exercise == NAME
    }


@pytest.mark.long
@pytest.mark.parametrize("what", RIGHT)
def test_a_right_answer_gets_its_points_with(graded: dict[str, Grade], what: str) -> None:
    grade = graded[f"student{list(RIGHT).index(what):02d}"]
    assert grade.full, grade
    assert bool(grade.remarks) == (what in SLOW and not grade.full)


@pytest.mark.long
def test_a_right_answer_gets_its_points_in_the_cell_of_its_check(graded: dict[str, Grade]) -> None:
    assert graded["checked"].full


@pytest.mark.long
def test_what_another_cell_measured_is_not_there_and_a_remark_says_so(graded: dict[str, Grade]) -> None:
    assert not graded["measured"].full
    assert "needs `ONE`" in graded["measured"].remarks[0]


@pytest.mark.long
def test_an_answer_that_imports_what_is_not_installed_here_is_no_wrong_one(graded: dict[str, Grade]) -> None:
    grade = graded["lacking"]
    assert grade.doubtful and grade.lacks == ("not_here",)
    assert grade.remarks == ("`not_here` is not installed where it was graded.",)


@pytest.mark.parametrize(
    ("raised", "cells", "lacks"),
    [
        ("ModuleNotFoundError: No module named 'not_here.at_all'", [], ("not_here",)),
        ("NameError: name 'Frame' is not defined", ["!ls\nfrom not_here.at_all import (\n  Frame\n)"], ("not_here",)),
        ("NameError: name 'nothing' is not defined", ["import not_here"], ()),
        ("NameError: name 'loads' is not defined", ["from json import loads"], ()),
        ("KeyError: 1", ["import not_here"], ()),
        ("NameError: name 'x' is not defined", ["import (", "import \0", "from . import x"], ("x",)),
    ],
)  # fmt: skip
def test_a_package_is_missed_only_where_it_fails(
    raised: str, cells: list[str], lacks: tuple[str, ...]
) -> None:
    assert packages.lacking(raised, cells) == lacks


def test_a_file_is_known_however_its_cell_begins() -> None:
    for head in (
        "%%writefile a/b.py",
        "%%file b.py",
        "# mine\n\n%%writefile 'x y/b.py'",
        "\n%%writefile -a b.py  ",
    ):
        found = answers.written(head + "\nx = 1\n")
        assert found is not None and (found.name, found.text) == ("b.py", "x = 1\n"), head
    assert answers.written("x = 1\n%%writefile b.py\n") is None
    assert answers.files(["%%file b.py\n1\n", "%%file -a b.py\n2\n"]) == {"b.py": "1\n2\n"}


@pytest.mark.parametrize("why", ["", "KeyError: 1"])
def test_what_a_cell_raised_is_told_only_where_it_raised_something(english: None, why: str) -> None:
    collected = {"status": "undefined", "got": why, "slow": False}
    exercise = course.lesson("workers").exercises()[NAME]
    grade = judging.judge(exercise, {"status": "probed", "collected": collected})
    assert grade.status == "undefined"
    assert grade.verdict.message.endswith(f"`{NAME}` ({why})." if why else f"`{NAME}`.")


# ---------------------------------------------------------------- the learner is told


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch):
    """Runs cells as a notebook does; returns its names."""

    def run_cells(*sources: str) -> dict[str, Any]:
        module = ModuleType("__main__")
        names = vars(module)
        names["In"] = list(sources)
        monkeypatch.setitem(sys.modules, "__main__", module)
        for source in sources:
            exec(source, names)
        return names

    return run_cells


def test_what_an_answer_takes_from_a_cell_that_is_not_run_is_named(cells) -> None:
    names = cells(
        HELPER,
        "rate = float.fromhex('1').__abs__()",
        "def half(x): return rate / 2\n",
        "class A:\n    def f(self): return half(TWO)\n",
    )
    found = undefined_names.warnings("A", names["A"])
    assert len(found) == 1 and found[0].startswith("`rate` is computed in another cell")
    card = Card(Verdict(1, 1, "fine"), warnings=found)
    assert found[0] in repr(card) and "<code>rate</code> is computed" in card._repr_html_()


def test_nothing_is_said_of_what_the_class_grader_has(cells) -> None:
    names = cells(
        "import math",
        HELPER,
        "limit = float.fromhex('1').__abs__()\ndef f(x): return times(TWO, x) * limit + math.pi\n",
    )
    assert undefined_names.warnings("f", names["f"]) == []
    assert undefined_names.warnings("portable", Path("portable.py")) == []


def test_another_name_than_the_exercises_is_said(cells) -> None:
    names = cells("def mine(): pass\n")
    said = undefined_names.warnings("f", names["mine"])[0]
    assert said.startswith("`mine` is taken as an example") and "called `f`" in said


def test_a_judge_that_does_not_come_back_costs_that_answer_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deep in C, or at a lock that the fork has copied, no signal of its own interrupts it."""
    exercise = course.lesson("workers").exercises()["choose_num_workers"]
    monkeypatch.setattr(judging, "_judge", lambda *_given: time.sleep(60))
    monkeypatch.setattr(judging, "JUDGING", 0.1)
    monkeypatch.setattr(judging, "_PATIENCE", 0.2)
    begun = time.monotonic()
    grade = judging._apart(exercise, {}, ())
    assert grade.status == "unjudged" and "OutOfTime" in grade.verdict.message
    assert time.monotonic() - begun < 20

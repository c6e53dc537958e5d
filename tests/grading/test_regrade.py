"""One student or one exercise is graded again, and what an earlier run graded stays in the report."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from handed_in import hand_in, student
from loaderlab import cli, course
from loaderlab.i18n.errors import LabError
from loaderlab.teaching.grading import run, submission
from loaderlab.teaching.grading.submission import Submission, find

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")
EXERCISES = list(course.lesson("start_here").exercises())


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Who and what came to the sandbox, which ends every answer at once."""
    seen: list[tuple[str, str]] = []

    def probe(tasks, _folder, _offers, _jobs, _book, _confined, arrived) -> list[str]:
        for task in tasks:
            seen.append((task.student, task.name[1]))
            imports = task.request["answer"].startswith("import not_here")
            raised = {
                "status": "raised",
                "got": "ModuleNotFoundError: No module named 'not_here'",
                "slow": False,
            }
            arrived(
                task, {"status": "probed", "collected": raised} if imports else {"status": "ended", "code": 1}
            )
        return []

    monkeypatch.setattr(run, "_probe", probe)
    return seen


@pytest.fixture
def class_of_three(tmp_path: Path) -> Path:
    folder = tmp_path / "handed_in"
    folder.mkdir()
    for number, name in enumerate(("anna", "ben", "zoé")):
        answers = {exercise: f"{exercise} = {number}" for exercise in EXERCISES}
        hand_in(folder, name, student("start_here", answers))
    return folder


def grade(folder: Path, *words: str) -> int:
    csv = folder.parent / "grades.csv"
    return cli.main(["--language", "en", "grade", str(folder), "--csv", str(csv), *words])


def test_only_who_is_named_is_graded_again_and_all_are_in_the_report(class_of_three, probed, capsys):
    assert grade(class_of_three) == 0
    assert len(probed) == 3 * len(EXERCISES)
    whole = (class_of_three.parent / "grades.csv").read_bytes()
    for words, expected in (
        (["--only", "ZOE"], [("zoé", name) for name in EXERCISES]),
        (["--exercise", "wait_and_compute"], [(name, "wait_and_compute") for name in ("anna", "ben", "zoé")]),
        (["--only", "anna", "--only", "ben", "--exercise", "wait_and_compute"], [("anna", "wait_and_compute"), ("ben", "wait_and_compute")]),
        (["--resume"], []),
    ):  # fmt: skip
        probed.clear()
        assert grade(class_of_three, *words) == 0
        assert probed == expected
        assert (class_of_three.parent / "grades.csv").read_bytes() == whole
    assert f"earlier run: {3 * len(EXERCISES)}; graded now: 0" in capsys.readouterr().out


def test_a_notebook_that_came_since_is_graded_with_those_that_are_asked_for(class_of_three, probed):
    grade(class_of_three)
    probed.clear()
    hand_in(class_of_three, "late", student("start_here", {"wait_and_compute": "wait_and_compute = 9"}))
    assert grade(class_of_three, "--only", "anna") == 0
    assert {name for name, _exercise in probed} == {"anna", "late"}


def test_what_needs_a_package_that_lacked_is_graded_again_once_that_may_be_here(class_of_three, probed):
    answers = {exercise: f"{exercise} = 3" for exercise in EXERCISES}
    hand_in(
        class_of_three,
        "tom",
        student("start_here", answers | {"wait_and_compute": "import not_here\nwait_and_compute = 3"}),
    )
    assert grade(class_of_three) == 0
    probed.clear()
    assert grade(class_of_three, "--resume") == 0
    assert probed == [("tom", "wait_and_compute")]


def test_without_an_earlier_run_nobody_is_graded(class_of_three, probed, capsys):
    assert grade(class_of_three, "--only", "anna") == 1
    assert "Grade the whole class first" in capsys.readouterr().err and not probed


def test_whom_nobody_knows_is_said_before_anything_is_graded(class_of_three, probed, capsys):
    grade(class_of_three)
    probed.clear()
    for words, said in (
        (["--only", "carla"], "Nobody whose notebook could be read is called 'carla'"),
        (["--exercise", "wait_and_compte"], "Nobody has an answer to the exercise wait_and_compte"),
    ):
        assert grade(class_of_three, *words) == 1
        assert said in capsys.readouterr().err and not probed


def test_a_student_is_known_by_the_number_of_moodle_or_canvas(class_of_three):
    (one,) = find([class_of_three / "anna.ipynb"])
    both = [Submission("anna", "a", "start_here", one.answers, number="7"), one]
    assert submission.chosen(both, ["7"], ["wait_and_compute"]) == {(0, "wait_and_compute")}
    with pytest.raises(LabError):
        submission.chosen([Submission("nobody", "x", None, problem="empty")], ["nobody"], [])

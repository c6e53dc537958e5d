"""What the options of a run have to do with each other, and with what was handed in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from handed_in import hand_in, student
from loaderlab import cli
from loaderlab.teaching.grading import run
from loaderlab.teaching.grading.grade import Result

EXPORT = "Student,ID,SIS Login ID,Section,00_start_here (7)\nPoints Possible,,,,8\nanna,1,anna,A,\n"


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The files of each run that got as far as grading; a notebook of "anna" and a gradebook lie in the folder."""
    runs: list[list[str]] = []

    def grade(submissions: Sequence[Any], **_options: Any) -> tuple[list[Result], list[str]]:
        runs.append([one.file for one in submissions])
        return [Result(one, ()) for one in submissions], ["a note of the run"]

    monkeypatch.setattr(run, "grade", grade)
    (tmp_path / "in").mkdir()
    hand_in(tmp_path / "in", "anna", student("start_here", {}))
    (tmp_path / "in" / "export.csv").write_text(EXPORT, "utf-8")
    return runs


def grade(folder: Path, *more: str) -> int:
    command = ["--language", "en", "grade", str(folder / "in"), "--csv", str(folder / "g.csv")]
    return cli.main([*command, *more])


@pytest.mark.parametrize("wrong", [("--weights", "workers=1"), ("--column", "Homework 7")])
def test_what_does_not_fit_what_was_handed_in_is_said_before_anything_is_graded(
    wrong: tuple[str, str], graded: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = ("--gradebook", str(tmp_path / "in" / "export.csv"), str(tmp_path / "import.csv"))
    assert grade(tmp_path, *book, *wrong) == 1 and graded == []
    assert capsys.readouterr().err.startswith("loaderlab:")
    assert not (tmp_path / "g.csv").exists()


def test_the_instructors_own_lists_are_no_submissions_and_the_report_has_the_gradebooks_notes(
    graded: list[list[str]], tmp_path: Path
) -> None:
    book = ("--gradebook", str(tmp_path / "in" / "export.csv"), str(tmp_path / "import.csv"))
    assert grade(tmp_path, *book, "--html", str(tmp_path / "r.html")) == 0
    assert [[Path(file).name for file in files] for files in graded] == [["anna.ipynb"]]
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "a note of the run" in page and "Students with a grade in the gradebook" in page

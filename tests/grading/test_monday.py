"""What docs/teaching.md tells an instructor to do on a Monday, done: with each platform's zip, export and layout."""

from __future__ import annotations

import csv
import io
import re
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

import exported
from handed_in import solutions, student
from loaderlab import cli, course
from loaderlab.exercises.exercise import Verdict
from loaderlab.teaching.grading import run
from loaderlab.teaching.grading.grade import Grade, Result
from places import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="A class is graded in WSL there.")

LESSON = "start_here"
FILE = f"{course.lesson(LESSON).file}.ipynb"
MONDAY = re.search(r"## The Monday.*?\n## ", (ROOT / "docs/teaching.md").read_text("utf-8"), re.DOTALL)[0]
FROM_PLATFORM, FROM_FOLDER, ONCE_MORE = re.findall(
    r"^```console\n(.*?)\n```", MONDAY, re.MULTILINE | re.DOTALL
)
POINTS = re.search(r"^```csv\n(.*?)^```", MONDAY, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(params=["as if graded", pytest.param("graded", marks=pytest.mark.long)])
def grader(request, monkeypatch) -> list[tuple[str, str]]:
    """The sandbox; or in its place full points for the solution and none for all else. Returns what is graded again."""
    again: list[tuple[str, str]] = []
    real, right = run.grade, solutions(LESSON)

    def grade(submissions, **options):
        again[:] = sorted((submissions[n].student, name) for n, name in options["again"])
        if request.param == "graded":
            return real(submissions, **options)
        options["journal"].touch()
        exercises = course.lesson(LESSON).exercises()
        return [
            Result(one, () if one.problem else tuple(
                Grade(name, Verdict(e.points if one.answers.get(name) == right[name] else 0, e.points, "-"), "graded")
                for name, e in exercises.items()
            ))
            for one in submissions
        ], []  # fmt: skip

    monkeypatch.setattr(run, "grade", grade)
    return again


def rows(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def loaderlab(command: str) -> None:
    words = shlex.split(command)
    assert words[0] == "loaderlab"
    assert cli.main(["--language", "en", *words[1:]]) == 0


@pytest.mark.parametrize("platform", ["Moodle", "Canvas", "Colab"])
def test_a_monday(platform: str, tmp_path: Path, monkeypatch, grader, capsys) -> None:
    """Anna has solved all, Jan the first exercise; Zoé handed in nothing, and Bob is not in the course."""
    monkeypatch.chdir(tmp_path)
    right = solutions(LESSON)
    first = next(iter(right))
    notebooks = {
        "Anna Kowalska": student(LESSON, right, "pl"),
        "Jan Łoś": student(LESSON, {first: right[first]}, "fr"),
        "Bob": student(LESSON, {}),
    }
    exercises = course.lesson(LESSON).exercises()
    top = sum(one.points for one in exercises.values())
    if platform == "Colab":
        exported.colab(Path("handed_in"), FILE, notebooks)
        Path("class.csv").write_text("Kowalska Anna\nŁoś Jan\nMartin Zoé\n", "utf-8")
    else:
        (exported.moodle if platform == "Moodle" else exported.canvas)(
            Path("submissions.zip"), FILE, notebooks
        )
        Path("export.csv").write_bytes(
            (exported.WORKSHEET if platform == "Moodle" else exported.CANVAS).encode()
        )
    command = FROM_FOLDER if platform == "Colab" else FROM_PLATFORM

    loaderlab(command)
    said = capsys.readouterr().out
    assert "Martin" in said and "Nothing was handed in." in said
    page = Path("report.html").read_text("utf-8")
    assert "class list" in page and not grader

    def grades() -> list[str]:
        if platform == "Colab":
            heading, *table = rows(Path("students.csv"))
            found = {row[0]: row[heading.index(f"total (/{top})")] for row in table}
            return [found["Kowalska Anna"], found["Łoś Jan"]]
        column, start = (4, 1) if platform == "Moodle" else (5, 3)
        table = rows(Path("import.csv"))
        assert table[start + 2][column] in ("", "EX"), "Zoé's is as it was"
        return [table[start][column], table[start + 1][column]]

    def expected(*points: int) -> list[str]:
        return [str(mine) if platform == "Colab" else f"{20 * mine / top:.2f}" for mine in points]

    assert grades() == expected(top, exercises[first].points)
    exercise, points = POINTS.splitlines()[1].split(",")[1:3]
    # The report calls people as the list of the class does.
    anna = {"Moodle": "Anna Kowalska", "Canvas": "Kowalska, Anna", "Colab": "Kowalska Anna"}[platform]
    Path("points.csv").write_text(POINTS.replace("Anna Kowalska", f'"{anna}"'), "utf-8")
    loaderlab(f"{command} {ONCE_MORE.replace('Anna Kowalska', anna)}")
    assert {name for _student, name in grader} == set(exercises) and len(grader) == len(exercises)
    assert grades() == expected(top - exercises[exercise].points + int(points), exercises[first].points)
    with zipfile.ZipFile("feedback.zip") as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert len(pages) == 3
    (hers,) = (page for name, page in pages.items() if "Anna" in name)
    assert "Right but for the rounding" in hers and "Łoś" not in hers and "Bob" not in hers
    if platform == "Moodle":
        assert any(name.startswith("Anna Kowalska_7781_assignsubmission_file_/") for name in pages)

"""A lap on a machine with a GPU: what fails is said and is no reason to stop, and what was measured is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from loaderlab.cli import main
from loaderlab.course import Lesson
from loaderlab.publish import recording
from publish_course import LESSON_MD, Course, course_at

NO_GPU = "assert False, 'there is no such GPU'"
RECORDS = "open(os.environ['LOADERLAB_RECORD'] + '/later.json', 'w').write('{}')"


class Plain(Lesson):
    """A lesson without exercises."""

    def exercises(self) -> dict[str, Any]:
        return {}


def source(*cells: str, tags: str = "gpu") -> str:
    """A lesson of these code cells; the header is that of the tiny lesson."""
    header = LESSON_MD[: LESSON_MD.index("```")]
    first = "```{code-cell} ipython3\n:tags: [setup]\n\nimport os\nimport loaderlab as lab\n"
    first += 'assert lab or lab.begin("tiny", language="en")\n```\n\n'
    return (
        header + first + "".join(f"```{{code-cell}} ipython3\n:tags: [{tags}]\n\n{c}\n```\n\n" for c in cells)
    )


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of two lessons, "tiny" and "other", which the tests fill."""
    checkout = course_at(tmp_path).checkout
    lessons = tuple(
        Plain(name, n, 5, folder_root=tmp_path / "lessons") for n, name in enumerate(("tiny", "other"))
    )
    for lesson in lessons:
        lesson.folder.mkdir(parents=True)
        (lesson.folder / "lesson.md").write_text(source("'nothing'"), "utf-8")
    return Course(type(checkout)(checkout.root, lessons, checkout.repository, checkout.ref), [])


def run(course: Course, out: Path) -> tuple[list[recording.Ran], str]:
    """The lap, and all that it said."""
    said: list[str] = []
    done = recording.lap(course.checkout, ["tiny", "other"], out, say=said.append)
    assert json.loads((out / "cells.json").read_text()) == [vars(ran) for ran in done]
    return done, "\n".join(said)


def test_a_cell_that_fails_is_said_and_what_comes_after_it_is_kept(course: Course, tmp_path: Path) -> None:
    course.source.write_text(source(NO_GPU, RECORDS), "utf-8")
    done, said = run(course, tmp_path / "out")
    assert [(ran.lesson, ran.failed) for ran in done] == [("tiny", True), ("tiny", False), ("other", False)]
    assert "there is no such GPU" in done[0].said and "✗ tiny [" in said and NO_GPU in said
    assert (tmp_path / "out" / "recordings" / "tiny" / "later.json").read_text() == "{}"
    executed = nbformat.read(tmp_path / "out" / "executed" / course.lesson.file, as_version=4)
    assert "AssertionError" in str(executed.cells)


def test_a_cell_for_every_machine_is_said_only_where_it_fails(course: Course, tmp_path: Path) -> None:
    course.source.write_text(source("1 + 1", "1 / 0", tags="nbval-ignore-output"), "utf-8")
    done, _said = run(course, tmp_path / "out")
    assert [(ran.lesson, ran.code, ran.failed, ran.gpu) for ran in done] == [
        ("other", "'nothing'", False, True),  # first: it has more cells for a GPU
        ("tiny", "1 / 0", True, False),
    ]


@pytest.mark.long
def test_a_cell_that_hangs_is_stopped_and_the_next_one_runs(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "SECONDS_PER_CELL", 3)
    course.source.write_text(source("import time; time.sleep(100)", RECORDS), "utf-8")
    done, _said = run(course, tmp_path / "out")
    assert [ran.failed for ran in done if ran.lesson == "tiny"] == [True, False]
    assert "KeyboardInterrupt" in done[0].said


@pytest.mark.long
def test_a_kernel_that_dies_ends_its_lesson_and_not_the_lap(course: Course, tmp_path: Path) -> None:
    course.source.write_text(source(RECORDS, "os._exit(3)", "1 + 1"), "utf-8")
    done, _said = run(course, tmp_path / "out")
    assert [(ran.lesson, ran.failed) for ran in done] == [
        ("tiny", False),
        ("tiny", True),
        ("tiny", True),
        ("other", False),
    ]
    assert "died" in done[1].said.lower()
    assert (tmp_path / "out" / "recordings" / "tiny" / "later.json").exists()


def test_what_was_measured_goes_into_a_lesson_of_which_no_cell_failed(course: Course, tmp_path: Path) -> None:
    for lesson in course.checkout.lessons:
        (lesson.folder / "lesson.md").write_text(source(RECORDS, "'nothing'"), "utf-8")
    course.source.write_text(source(RECORDS, NO_GPU), "utf-8")
    done, _said = run(course, tmp_path / "out")
    (kept,) = recording.kept(course.checkout, done, tmp_path / "out")
    assert kept.read_text() == "{}" and kept.is_relative_to(course.checkout.lessons[1].folder)
    assert not course.checkout.lessons[0].recordings


# The command.


def test_the_exit_status_says_whether_a_cell_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = [recording.Ran("workers", 3, True, True, 0.1, "1 / 0", "ZeroDivisionError")]
    monkeypatch.setattr(recording, "lap", lambda here, names, out: failed if names == ["workers"] else [])
    assert main(["record", "--out", str(tmp_path), "workers"]) == 1
    assert main(["record", "--out", str(tmp_path)]) == 0

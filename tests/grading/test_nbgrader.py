"""The student notebooks work in nbgrader as they are: assignment, submissions, grades, and what a learner is told."""

from __future__ import annotations

import csv
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from loaderlab.notebook import session
from loaderlab.notebook.card import Score
from nbgrader_course import Course, answered, install, recommended

pytestmark = pytest.mark.minutes(2)

LESSON = "02_pin_memory.ipynb"


def deliver(samples: list[tuple[torch.Tensor, torch.Tensor]], device: str) -> tuple[torch.Tensor, Any]:
    images = torch.stack([image / 255 for image, _boxes in samples]).to(device)
    boxes = torch.cat([boxes for _image, boxes in samples]).to(device)
    return images, boxes.split([len(boxes) for _image, boxes in samples])


# Right, but that it sends floats, which costs half of the points; what an answer prints on stderr costs none.
HALF_RIGHT = {
    "deliver": f'import sys\nfrom typing import Any\n\n{inspect.getsource(deliver)}\nprint("thinking", file=sys.stderr)\n',
    "step_time": "def step_time(:",
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], None]) -> Path:
    if sys.platform == "win32":
        missing("nbgrader's commands are tested on Linux and macOS.")
    home = tmp_path_factory.mktemp("nbgrader")
    done = install(home)
    if done.returncode:
        missing(f"pip cannot install nbgrader: {done.stderr[-500:]}")
    return home


@pytest.fixture(scope="module")
def course(environment: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Course:
    return Course(tmp_path_factory.mktemp("course") / "pinning", environment, recommended(root))


def answer_cells(notebook: Path) -> dict[str, str]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    marked = {
        cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in cells if "nbgrader" in cell["metadata"]
    }
    return {
        name: "".join(cell["source"])
        for name, cell in marked.items()
        if cell["metadata"]["nbgrader"]["solution"]
    }


@pytest.mark.long
def test_nbgrader_gives_the_points_that_the_notebook_gives(course: Course, root: Path) -> None:
    student = root / "notebooks_fr" / LESSON
    released = course.generate("stubs", student)
    assert answer_cells(released) == answer_cells(student)

    course.hand_in("anna", "stubs", LESSON, (root / "solutions" / "fr" / LESSON).read_text("utf-8"))
    course.hand_in("bob", "stubs", LESSON, released.read_text("utf-8"))
    course.hand_in("cleo", "stubs", LESSON, answered(released, HALF_RIGHT))
    course.run("autograde", "stubs")

    exercises = {"step_time": 5, "PinnableBatch": 6, "DevicePrefetcher": 9, "deliver": 4}
    full = {f"check_{name}": points for name, points in exercises.items()}
    none = dict.fromkeys(full, 0)
    assert course.points("stubs") == {"anna": full, "bob": none, "cleo": none | {"check_deliver": 2}}

    course.run("export")
    with (course.folder / "grades.csv").open(encoding="utf-8") as file:
        totals = {row["student_id"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}
    assert totals == {"anna": ("24.0", "24.0"), "bob": ("0.0", "24.0"), "cleo": ("2.0", "24.0")}


@pytest.mark.long
def test_nbgrader_cuts_the_solutions_out_and_tells_a_learner_what_is_wrong(
    course: Course, root: Path
) -> None:
    solution = root / "solutions" / "pl" / LESSON
    released = course.generate("solutions", solution, "--ClearSolutions.enabled=True")
    stub = "    # YOUR CODE HERE\n    raise NotImplementedError()"
    before = answer_cells(solution)["step_time"].partition("    ### BEGIN SOLUTION")[0]
    assert answer_cells(released)["step_time"] == before + stub

    mine = released.with_name("mine.ipynb")
    # The other three are right: what is wrong with one is told of that one.
    right = answer_cells(solution)
    mine.write_text(answered(released, right | {"deliver": HALF_RIGHT["deliver"]}), encoding="utf-8")
    told = course.run("validate", str(mine))
    assert "FAILED ON 1 CELL(S)" in told
    assert "2/4" in told and "Oczekiwano" in told


@pytest.mark.parametrize("purpose", ["autograde", "validate"])
def test_a_check_is_a_number_to_nbgrader_and_a_card_to_everyone_else(
    purpose: str, english: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session.begin("pin_memory")
    capsys.readouterr()
    ordinary = session.check("deliver", deliver)
    assert "2/4" in repr(ordinary) and not isinstance(ordinary, Score)

    monkeypatch.setenv("NBGRADER_EXECUTION", purpose)
    graded = session.check("deliver", deliver)
    assert repr(graded) == "2" and graded._repr_html_() == ordinary._repr_html_()
    assert capsys.readouterr().err == (f"{ordinary}\n" if purpose == "validate" else "")

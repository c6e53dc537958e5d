"""A recording that no cell of its lesson would show is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loaderlab.course import Lesson
from loaderlab.notebook import recordings
from loaderlab.publish import review
from loaderlab.publish.source import CODE, Cell, Source
from publish_course import Course

CELL = "sent = lab.benchmark(kernels.transfers, sizes=(64, 65), most=2**8, requires={'cuda': 1})"


def problems(folder: Path, **changed: Any) -> list[Path]:
    """Of a lesson with that cell and one more, and a recording of the first, but for what is changed."""
    recording = {"lesson": "x", "name": "transfers", "arguments": {"sizes": [64, 65], "most": 256}} | changed
    recordings.write(
        folder / "x" / "recordings", **recording, requires={"cuda": 1}, device="GPU", rows=[{"ms": 1.0}]
    )
    cells = [Cell(CODE, source, "", (), "", "") for source in (CELL, 'shown = lab.recorded("peers")')]
    return list(review.unasked(Source(Lesson("x", 1, 1, folder_root=folder), tuple(cells))))


@pytest.mark.parametrize(
    "changed",
    [{}, {"arguments": {"sizes": [64, 65], "most": 512}}, {"name": "peers", "arguments": {"images": 1000}}],
    ids=["all alike", "what the cell computes", "any arguments"],
)
def test_a_recording_that_a_cell_shows_is_no_problem(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert problems(tmp_path, **changed) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "losses"},
        {"lesson": "y"},
        {"arguments": {"sizes": [64, 100], "most": 256}},
        {"arguments": {"sizes": [64, 65]}},
    ],
    ids=["benchmark", "lesson", "value", "argument"],
)
def test_one_that_no_cell_shows_is_found(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert len(problems(tmp_path, **changed)) == 1


def test_the_check_names_it(course: Course) -> None:
    folder = course.lesson.folder / "recordings"
    recordings.write(folder, "tiny", "transfers", {}, {"cuda": 1}, "GPU", [{"ms": 1.0}])
    said = "recordings/transfers-gpu.json: no cell of this lesson shows this recording"
    assert any(said in problem for problem in course.problems())

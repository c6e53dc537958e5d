"""A verdict that does not follow from the recording beside it is found, and one that does, by whatever way, is left alone."""

from __future__ import annotations

import pytest

from loaderlab import course
from loaderlab.publish import verdicts
from loaderlab.publish.source import read

pytestmark = pytest.mark.usefixtures("english")

BET = 'lab.predict("steps")'
GPU = "gemm = lab.benchmark(sweep, requires={'cuda': 1})\nlab.curves(gemm, 'rows', 'ms')"


def said(*cells: str) -> list[str]:
    return list(verdicts.apart("lesson.md", cells))


@pytest.mark.parametrize(
    "cells",
    [
        (BET, GPU, 'lab.compare("steps", first(gemm))'),
        (
            BET,
            GPU,
            "measured, model = curve.in_waves(gemm)",
            'lab.compare("steps", [row for row in measured.rows])',
        ),
        (BET, GPU, "def first():\n    return gemm.rows[0]", 'lab.compare("steps", first())'),
        (GPU, BET, "steps = model()", 'lab.compare("steps", steps)'),
        (BET, "here = lab.benchmark(sweep)", 'lab.compare("steps", model())'),
    ],
    ids=["from its rows", "by names", "by a function", "shown before the bet", "measured by each reader"],
)
def test_a_verdict_that_follows_from_all_that_is_shown_is_left_alone(cells: tuple[str, ...]) -> None:
    assert said(*cells) == []


@pytest.mark.parametrize(
    ("cells", "missing"),
    [
        ((BET, GPU, "steps = model()", 'lab.compare("steps", steps)'), "sees gemm,"),
        ((BET, GPU, GPU.replace("gemm", "spin"), 'lab.compare("steps", first(gemm))'), "sees spin,"),
    ],
    ids=["from a model", "from one of two pictures"],
)
def test_a_verdict_that_does_not_is_said(cells: tuple[str, ...], missing: str) -> None:
    (problem,) = said(*cells)
    assert problem.startswith("lesson.md: between the bet 'steps' and its comparison the reader sees ")
    assert missing in problem


def test_in_the_course_recordings_are_seen() -> None:
    """That the rule finds the calls as lessons write them."""
    code = [cell.source for cell in read(course.lesson("pin_memory")).cells if cell.is_code]
    asked = [cell for cell in code if "lab.predict(" in cell]
    shown = [cell for cell in code if "lab.benchmark(" in cell and "requires=" in cell]
    assert shown and said(asked[0], shown[0], f'lab.compare("{asked[0].split(chr(34))[1]}", 1)')

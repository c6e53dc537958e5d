"""The verdict on a sweep with a training step: four cases, from its rows alone."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlab.notebook import recordings, session
from loaderlab.notebook.bottleneck import bottleneck
from loaderlab.notebook.recordings import Result

LIMIT = 1000.0


@pytest.fixture(autouse=True)
def lesson(capsys: pytest.CaptureFixture[str]) -> None:
    session.begin("workers")


def judged(*rows: dict[str, Any]) -> str:
    return bottleneck(Result("sweep", [*rows, {"limit": LIMIT}], device="CPU × 2", date="2026-11-21"))


def row(workers: int, rate: float, wait: float) -> dict[str, Any]:
    return {"num_workers": workers, "samples_per_second": rate, "wait_share": wait}


@pytest.mark.parametrize(
    ("rate", "wait", "says", "silent"),
    [
        (950, 3, "loading is not the bottleneck", "main process"),
        (660, 5, "more workers cannot help", "the workers are the bottleneck"),
        (950, 30, "little to gain", "bottleneck."),
        (500, 48, "the workers are the bottleneck", "main process"),
        (400, 40, "would be only 67% of the limit", "cannot help"),
        (400, 100, "the workers are the bottleneck", "main process"),  # nothing is seen of the step
    ],
)
def test_each_case_has_its_own_verdict(rate: float, wait: float, says: str, silent: str) -> None:
    text = judged(row(0, 100, 90), row(4, rate, wait))
    assert says in text and silent not in text
    assert ("`pin_memory=False`" in text) == ("main process" in text)  # what is to be done about it


def test_repeats_that_workers_cannot_explain_are_named() -> None:
    text = judged(row(1, 100, 80), row(4, 300, 50), row(4, 460, 40))
    assert "differ by up to 53% (number of workers: 4)" in text
    assert "4.6 times as fast as one worker. 4 workers cannot be" in text
    assert "cannot be" not in judged(row(1, 100, 80), row(4, 380, 50), row(4, 400, 40))


def test_a_loader_that_delivered_nothing_that_counts_gets_no_verdict() -> None:
    assert "bottleneck" not in judged(row(4, 0.0, 50))


def test_a_sweep_that_noted_no_wait_gets_no_verdict() -> None:
    text = judged({"num_workers": 2, "samples_per_second": 500.0})
    assert "50.0" in text and "bottleneck" not in text


def test_without_rows_it_says_why() -> None:
    assert bottleneck(Result("sweep", live=False, note="Not run: no GPU.")) == "Not run: no GPU."


def test_the_recording_of_lesson_1_is_lost_in_the_main_process() -> None:
    """The best of its points waits 5% of the time, at two thirds of the limit."""
    text = bottleneck(recordings.newest("training_sweep"))
    assert (
        "At the highest throughput (number of workers: 16): The wait is small, and still the rate is far below"
        in text
    )
    assert "1.43 times as long" in text and "9.1 times as fast as one worker" in text

"""Lesson 1: what its explorer says of a picture and of a measurement."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.lessons.workers import scene
from loaderlab.model import rehearsal
from loaderlab.model.pipeline import Setting, rounds, simulate

FIRST: dict[str, Any] = {parameter.name: parameter.default for parameter in scene.PARAMETERS}


@pytest.fixture(autouse=True)
def english() -> None:
    language.use("en", course.lesson("workers").folder)


def test_a_picture_that_is_mostly_waiting_says_so_and_why() -> None:
    slow = scene.draw(**FIRST | {"num_workers": 2, "start_ms": 1500}).text
    waits = re.search(r"waits (\d+)% of the time in a long epoch.*picture the device waits (\d+)%", slow)
    assert waits and int(waits[1]) < 5 and int(waits[2]) > 80
    assert "of the picture" not in scene.draw(**FIRST | {"num_workers": 0}).text


def test_one_workers_bars_are_wide_enough_to_have_a_number() -> None:
    run = simulate(rounds(Setting(**FIRST), scene.LEAST))
    assert 600 * FIRST["load_ms"] / run.total_ms > 14  # of some 600 pixels


def test_the_wait_that_is_left_for_large_batches_has_its_reason() -> None:
    large = scene.draw(**FIRST | {"cores": 8, "batch_mib": 32}).text
    assert (
        "Enough workers: 2. The device still waits 45%: the main process takes 9.8 ms to receive a batch"
        in large
    )
    assert "still waits" not in scene.draw(**FIRST | {"cores": 8}).text


@pytest.mark.parametrize(("times", "said"), [(3.5, "250% longer"), (0.5, "50% shorter")])
def test_what_took_longer_than_predicted_is_called_longer(
    monkeypatch: pytest.MonkeyPatch, times: float, said: str
) -> None:
    def rehearse(asked: Setting) -> Any:
        spans = {"load_ms": asked.load_ms * times, "step_ms": asked.step_ms * times}
        return replace(simulate(replace(asked, **spans)), setting=asked)

    monkeypatch.setattr(rehearsal, "rehearse", rehearse)
    values = FIRST | {"num_workers": 0, "cores": 1, "load_ms": 80, "step_ms": 80, "spread": 0.0}
    assert said in scene.measure(**values).text

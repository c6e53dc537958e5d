"""The explorer of lesson 9: what its sentence says, and what its questions take."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.lessons.beyond_workers import scene
from loaderlab.lessons.beyond_workers.model import rate
from loaderlab.lessons.beyond_workers.questions import AUGMENTED, FIRST, QUESTIONS, TAKEN, setting

TAKES, ENOUGH, LOCKED = QUESTIONS["idle"]
READY = {"decode_ms": 0, "augment_ms": 0, "batch": 256}


@pytest.fixture(autouse=True)
def english() -> None:
    language.use("en", course.lesson("beyond_workers").folder)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "The cores set the pace: 32.4 ms for a batch."),
        (
            AUGMENTED,
            "The loop sets the pace: receiving 1.1 ms, link 0.4 ms, device 4.9 ms, one after the other.",
        ),
        (AUGMENTED | {"step_ms": 833}, "The device sets the pace: 833 ms for a step, 1.9 ms for other work."),
        (READY | {"carrier": "the pin thread"}, "The pin thread sets the pace: 19.0 ms for a batch."),
        (
            AUGMENTED | {"threads": True, "locked_ms": 0.5},
            "lock sets the pace: 32.0 ms for a batch, one thread",
        ),
        ({"threads": True, "locked_ms": 0.5}, "The cores set the pace"),
        (READY | {"step_ms": 900}, "The device sets the pace: 900 ms for a step."),
    ],
)
def test_the_sentence_says_who_sets_the_pace(values: dict[str, Any], said: str) -> None:
    assert said in scene.sentence(setting(**values))


def test_nothing_to_do_is_no_error() -> None:
    nothing = {
        "decode_ms": 0,
        "augment_ms": 0,
        "step_ms": 0,
        "threads": True,
        "carrier": "the loop",
        "pixels_kb": 0,
    }
    assert scene.draw(**FIRST | nothing).text == "There is nothing to do."


def test_the_picture_has_the_rows_that_are_used_and_shows_who_waits() -> None:
    rows = scene.bars(scene.simulate(setting(**AUGMENTED | {"carrier": "the pin thread"})))
    assert list(rows) == ["cores", "pin thread", "link", "device"]
    assert {bar.kind for bar in rows["device"]} == {"augmenting", "step", "wait"}


def test_the_device_should_take_over_one_of_two() -> None:
    best, second, _third = sorted((rate(setting(**values)) for values in TAKEN.values()), reverse=True)
    assert TAKES.answer() == "augmenting" and best > 1.2 * second


def test_one_core_less_than_enough_is_slower_than_the_device() -> None:
    cores = ENOUGH.answer()
    assert isinstance(cores, int)
    device = rate(setting(**TAKEN["both"]))
    assert (
        rate(setting(**AUGMENTED | {"cores": cores - 1}))
        <= device
        < rate(setting(**AUGMENTED | {"cores": cores}))
    )


def test_the_lock_sets_the_pace_from_the_next_step_of_the_slider_on() -> None:
    said, _exact = LOCKED.answer()
    for locked_ms, lock in ((said, False), (said + 0.01, True)):
        text = scene.sentence(setting(**LOCKED.start | {"locked_ms": locked_ms}))
        assert ("lock sets the pace" in text) is lock
    assert all(LOCKED.judge(guess).good for guess in (0.09, 0.1, 0.0997))
    assert not any(LOCKED.judge(guess).good for guess in (0.08, 0.12, 1.3, 6.4))

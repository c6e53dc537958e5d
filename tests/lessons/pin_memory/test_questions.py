"""The explorer of lesson 2 asks what its own figures answer: the exact answer is taken, and what fails is not."""

from dataclasses import replace

import pytest

from loaderlab.lessons.pin_memory.model import milliseconds, pace
from loaderlab.lessons.pin_memory.questions import FIRST, LARGE, LARGER, QUESTIONS, UNREAD
from loaderlab.lessons.pin_memory.scene import PARAMETERS, setting_of

STEP, INGREDIENT, SLOWEST = QUESTIONS["overlap"]


def good(question, guess):
    return question.judge(guess).good


def test_the_shortest_step_is_what_the_slowest_of_the_others_takes_and_a_shorter_one_is_refused():
    setting = setting_of(**FIRST | LARGE)
    exact = max(milliseconds(256, setting.pin_gb), milliseconds(256, setting.link_gb))
    assert pace(replace(setting, step_ms=exact)) == pytest.approx(exact)
    assert all(good(STEP, guess) for guess in (exact, round(exact, 1), int(exact) + 1))
    assert pace(replace(setting, step_ms=0.97 * exact)) > 0.98 * exact
    assert not any(
        good(STEP, guess) for guess in (0.97 * exact, 26, 26.8, setting.link_ms, exact + setting.link_ms)
    )


def test_the_slowest_pin_thread_takes_as_long_as_the_step_and_a_slower_one_is_refused():
    exact = 32 * 2**20 / 5e6  # GB/s: 32 MiB in 5 ms
    setting = setting_of(**FIRST | LARGER)
    assert pace(replace(setting, pin_gb=exact)) == pytest.approx(5)
    assert all(good(SLOWEST, guess) for guess in (exact, 6.7, 6.71, 6.8, 7))
    assert not any(good(SLOWEST, guess) for guess in (5, 6, 6.4, 6.5, 10, 25))


def test_the_sliders_can_show_the_answers():
    controls = {parameter.name: parameter for parameter in PARAMETERS}
    for question, name in ((STEP, "step_ms"), (SLOWEST, "pin_gb")):
        said, other = question.answer()
        high = max(said, other)
        assert controls[name].on_step(high) == high and high - min(said, other) < controls[name].step


def test_the_ingredient_that_matters_is_the_only_one_that_does():
    setting = setting_of(**FIRST | UNREAD)
    slower = {
        name
        for name in ("pinned", "non_blocking", "second_stream")
        if pace(replace(setting, **{name: False})) > 1.05 * pace(setting)
    }
    assert slower == {INGREDIENT.answer()}

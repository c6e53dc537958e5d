"""Lesson 8: its script at work with some of its repairs, as the website's measurements were made."""

from __future__ import annotations

import multiprocessing

import pytest

from loaderlab import course
from loaderlab.course.case_states import States, silent, to_measure
from loaderlab.lessons.find_the_bottleneck import found, repaired
from loaderlab.lessons.find_the_bottleneck.case import CASE
from loaderlab.lessons.find_the_bottleneck.trial import trial
from loaderlab.notebook import recordings
from loaderlab.publish import case_recording

LESSON = course.lesson("find_the_bottleneck")


def test_the_clock_decides_what_is_claimed_and_no_worker_is_left() -> None:
    with trial() as run:
        with_clock, without = (
            run(repairs) for repairs in (list(repaired.REPAIRS), list(repaired.REPAIRS)[1:])
        )
    most = found.BATCH / found.STEP_SECONDS
    assert 0.8 < with_clock.claimed / with_clock.true < 1.05 and without.claimed > 5 * most
    assert 0.2 * most < with_clock.limit < 1.05 * most
    assert multiprocessing.active_children() == []


def test_what_no_rate_shows_is_index_generator_and_epoch() -> None:
    assert silent(CASE) == ("index", "generator", "epoch")
    assert len(to_measure(CASE)) == 2**6 + 3


def test_what_the_page_shows_was_measured_for_every_state_and_holds() -> None:
    kept = [
        each
        for each in map(recordings.read, LESSON.recordings)
        if each["benchmark"] == case_recording.BENCHMARK
    ]
    if not kept:
        pytest.skip("`loaderlab record --case` has not measured the case yet.")
    for recording in kept:
        states = States.of_rows(CASE, recording["rows"])
        assert set(states.rates) == set(to_measure(CASE)) and states.sound
        assert all(0 < rates.true < 1.05 * rates.limit for rates in states.rates.values())
        # A claim is what our clock says where the clock is repaired, and beyond the limit where it is not.
        for name, rates in states.rates.items():
            honest = "clock" in name.split()
            assert (rates.claimed < 1.1 * rates.true) == honest and (rates.claimed > rates.limit) != honest

"""The states of a case: which have to be measured, which share their rates, and what is said of one that was not measured."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlab.course.case import Case, Rates, Repair
from loaderlab.course.case_states import States, silent, state, to_measure
from loaderlab.i18n.errors import LabError

CASE = Case(
    "clock()\nslow()\nwrong()\n",
    (
        Repair("clock", "clock", ("clock",), "It is right.", speed=False, claim=True),
        Repair("slow", "slow part", ("slow",), "It is gone."),
        Repair("wrong", "wrong part", ("wrong",), "It is right.", speed=False),
    ),
    {},
)


def rows(**true: float) -> list[dict[str, Any]]:
    """A round for each of these states, "_" for a blank."""
    return [
        {
            "repairs": name.replace("_", " ").strip(),
            "round": 1,
            "claimed": 900.0,
            "true": rate,
            "limit": 100.0,
        }
        for name, rate in true.items()
    ]


def test_states_are_measured_that_a_rate_can_tell_apart_and_some_that_it_should_not() -> None:
    assert silent(CASE) == ("wrong",)
    assert to_measure(CASE) == ["", "clock", "slow", "clock slow", "wrong", "clock slow wrong"]


def test_the_order_of_repairs_makes_no_other_state() -> None:
    states = States.of_rows(CASE, rows(_=5, clock=5, slow=50, clock_slow=60))
    assert states.of(["slow", "clock"]) == states.of(["clock", "slow"]) == Rates(900, 60, 100)


def test_a_repair_that_no_rate_shows_shares_the_rates_of_the_state_without_it() -> None:
    states = States.of_rows(CASE, rows(_=5, slow=50, slow_wrong=52))
    assert states.of(["wrong", "slow"]) == states.of(["slow"]) == Rates(900, 50, 100)
    assert states.of(["wrong"]) == states.of([])


def test_the_clock_has_states_of_its_own_since_the_claim_shows_it() -> None:
    states = States.of_rows(CASE, rows(_=5, slow=50))
    with pytest.raises(LabError):
        states.of(["clock"])


def test_a_state_that_was_not_measured_has_no_rates() -> None:
    states = States.of_rows(CASE, rows(_=5, clock=5))
    with pytest.raises(LabError, match="was not measured: clock, slow part"):
        states.of(["slow", "clock"])


def test_a_rate_is_the_median_of_its_rounds() -> None:
    found = States.of_rows(CASE, [*rows(slow=50), *rows(slow=90), *rows(slow=52)])
    assert found.of(["slow"]).true == 52


def test_what_should_be_silent_and_is_not_is_seen() -> None:
    assert States.of_rows(CASE, rows(_=5, wrong=5.5)).sound
    loud = States.of_rows(CASE, rows(_=5, wrong=4))
    assert loud.apart() == 1.25 and not loud.sound


def test_a_state_is_named_in_the_order_of_the_course() -> None:
    assert state(CASE, {"wrong", "clock"}) == "clock wrong" and state(CASE, ["wrong"], ["wrong"]) == ""

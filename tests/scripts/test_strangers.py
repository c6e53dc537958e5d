"""The strangers' loaders: where each is from, and how what is said of them is judged."""

from __future__ import annotations

import re

import pytest

from zoo.strangers.kept import KEPT
from zoo.strangers.making import MAKING
from zoo.strangers.stranger import Stranger, judged


def test_each_is_after_a_public_thread_that_it_cites_and_a_quarter_of_each_half_is_healthy() -> None:
    for half in (MAKING, KEPT):
        assert len(half) == 12 and sum(not one.names for one in half.values()) == 3
        for name, one in half.items():
            said = one.make.__doc__ or ""
            assert re.search(r"[\w.-]+/[\w.-]+#\d+", said), name
            assert ("Cure:" in said) == bool(one.names) and said.startswith("Healthy:") == (not one.names), (
                name
            )
    assert not MAKING.keys() & KEPT.keys()


@pytest.mark.parametrize(
    ("said", "text", "verdict"),
    [
        ([("computing", None)], "70 % in glob.glob(x)", "right, with the cause"),
        ([("computing", None)], "70 % in f(x)", "right"),
        ([("slow_sampler", "x"), ("computing", None)], "glob.glob", "in part"),
        ([("slow_collate", None)], "", "in part"),
        ([("slow_sampler", None)], "", "wrong"),
        ([("too_noisy", None), ("slow_sampler", None)], "", "abstained"),
    ],
)
def test_what_is_said_of_an_ill_one_is_judged_by_its_first_finding_and_the_cause(
    said: list[tuple[str, str | None]], text: str, verdict: str
) -> None:
    one = Stranger(lambda: None, ("computing",), ("slow_collate",), r"glob\.glob")
    assert judged(said, text, one) == verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ([("step_limit", None)], "right, with the cause"),
        ([("step_limit", None), ("too_many_workers", "DataLoader(…)")], "in part"),
        ([("computing", None)], "wrong"),
        ([("not_measured", None)], "abstained"),
    ],
)
def test_of_a_healthy_one_nothing_may_be_advised(said: list[tuple[str, str | None]], verdict: str) -> None:
    assert judged(said, "", Stranger(lambda: None)) == verdict

"""The card of a change: it says how far two ways are apart, and nothing where their ranges touch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loaderlab.drawing import WIDTH, png_metadata
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.operations import Text
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, use
from loaderlab.measuring.measure import Spread
from loaderlab.notebook import session
from loaderlab.notebook.change import _Card, change
from loaderlab.notebook.postcard import Postcard


@pytest.fixture(autouse=True)
def english(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    session.begin("workers")
    yield
    use("en")


def turns(*values: float) -> Callable[[], float]:
    """Return what gives these values one after another, after one for the warm-up."""
    given = iter([0.0, *values])
    return lambda: next(given)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            (100, 110, 105),
            (320, 330, 340),
            "My change: × 3.1. Throughput (samples/s): In turns, 3 times each: ",
        ),
        ((40, 44, 42), (8, 8, 8.5), "My change: ÷ 5.2."),
        ((100, 110, 105), (109, 130, 120), "My change: no visible difference."),
        (
            (5, 5, 5),
            (0, 0, 0),
            "My change: 5 → 0. Throughput (samples/s): 5 before and 0 after, all 3 times.",
        ),
    ],
)
def test_it_says_how_far_both_are_apart(before: tuple[float], after: tuple[float], said: str) -> None:
    card = change(turns(*before), turns(*after), repeats=3)
    assert isinstance(card, Postcard)
    assert card.text.startswith(said)
    assert ("may be noise" in card.text) == ("no visible difference" in said)


def test_the_first_call_of_each_does_not_count() -> None:
    card = change(turns(10, 12), turns(30, 31), repeats=2)
    assert isinstance(card, Postcard)
    assert "In turns, 2 times each: 10 to 12 before, 30 to 31 after." in card.text


def test_it_carries_what_it_was_computed_from_and_can_be_saved_and_replaced(tmp_path: Path) -> None:
    card = change(turns(10, 12), turns(30, 31), what="two workers", repeats=2)
    assert isinstance(card, Postcard)
    for _again in range(2):
        saved = card.save(tmp_path / "my_change.png")
    content = png_metadata.unpack(saved.path.read_bytes())
    assert content["rows"] == [
        {"version": "before", "turn": 0, "samples_per_second": 10},
        {"version": "before", "turn": 1, "samples_per_second": 12},
        {"version": "after", "turn": 0, "samples_per_second": 30},
        {"version": "after", "turn": 1, "samples_per_second": 31},
    ]
    assert saved.message.startswith("two workers: × 2.8\n")


def test_the_card_of_an_exercise_waits_for_all_points_of_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong answer may be fast: one that leaves out most samples was said to be 12 times as fast."""
    points = session.current().lesson.exercises()["portable"].points
    monkeypatch.setattr(session.current(), "points", {"portable": points - 1})
    assert "in the check of `portable`" in str(change(turns(1, 1), turns(2, 2), what="portable", repeats=1))
    session.current().note_points("portable", points)
    assert "portable: × 2.0" in str(change(turns(1, 1), turns(2, 2), what="portable", repeats=1))


def test_an_exercise_that_was_solved_before_this_session_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unsolved() -> float:
        raise NotImplementedError

    points = session.current().lesson.exercises()["portable"].points
    monkeypatch.setattr(session.current(), "points", {"portable": points})
    assert "To see this card" in str(change(turns(1, 1), unsolved, what="portable"))
    with pytest.raises(NotImplementedError):  # what is no exercise keeps its error
        change(turns(1, 1), unsolved)


def test_what_returns_no_number_is_named() -> None:
    nothing: Any = lambda: None  # noqa: E731 (a learner forgot the return)
    with pytest.raises(LabError, match="`after` returned None. Expected: a number"):
        change(turns(1, 1), nothing, repeats=1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_leaves_the_sheet(language: str) -> None:
    use(language)
    spreads = {
        "before": Spread(123456.7, 100000.1, 150000.2, 5),
        "after": Spread(987654.3, 900000.1, 999999.9, 5),
    }
    for word in ("two workers", "as many workers as cores, and whole batches from one tensor"):
        canvas = _Card(spreads, "samples_per_second", word).drawing()
        for put in canvas.operations:
            if isinstance(put, Text) and put.anchor == "lm":
                assert put.x + text_width(put.text, put.size, bold=put.bold) <= WIDTH

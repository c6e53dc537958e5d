"""The card of a verdict: the first cause open, the others folded, and no cure that nobody asked for."""

from __future__ import annotations

import re
from html import escape

import pytest

from answers import named
from loaderlab.exercises.criterion import Finding
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n.language import LANGUAGES
from loaderlab.notebook import session
from loaderlab.notebook.card import Card
from loaderlab.notebook.field import compare

WRONG = ("start_here", "number_of_batches", "wrong: samples")  # misses both criteria


@pytest.fixture
def card(english: None) -> Card:
    session.begin(WRONG[0])
    return session.check(WRONG[1], named(*WRONG).made)


def test_one_finding_is_open_and_the_others_are_folded(card: Card) -> None:
    shown = card._repr_html_()
    assert shown.count("<details open") == 1 and shown.count("<details") == 2
    assert repr(card).count("Expected:") == 1


def test_a_card_says_what_was_expected_and_found_and_not_the_line_that_cures(card: Card) -> None:
    shown = card._repr_html_()
    assert "10 · <code>number_of_batches(10, 4)</code>" in shown and "<i>Expected:</i> 3" in shown
    assert "math.ceil" not in shown and "math.ceil" not in repr(card)


def test_the_second_step_of_the_ladder_is_what_the_check_found(card: Card) -> None:
    first, second, third = (session.hint("number_of_batches") for _hint in range(3))
    assert first.startswith("Hint 1 of 4.") and "Count these batches by hand" in first
    assert "math.ceil" in second and "Add one only" in third


def test_the_code_in_a_hint_is_shown_as_code(card: Card) -> None:
    session.hint("number_of_batches")
    assert "<code>//</code> rounds down" in session.hint("number_of_batches")._repr_html_()


def test_the_ladder_begins_anew_when_another_answer_misses_something_else(card: Card) -> None:
    session.hint("number_of_batches"), session.hint("number_of_batches")
    session.check("number_of_batches", named(*WRONG[:2], "wrong: always one more").made)
    assert session.hint("number_of_batches").startswith("Hint 1 of 3.")
    assert "Add one only" in session.hint("number_of_batches")


def test_what_could_not_be_judged_is_neither_right_nor_wrong_and_says_why(english: None) -> None:
    finding = Finding(False, 2, "near the limit", "50%", "30%", "Check again.", judged=False)
    shown = repr(Card(Verdict(1, 3, "so far", (finding,)), "fast"))
    assert "– near the limit (2)" in shown and "Check again." in shown and "✗" not in shown


def test_what_follows_from_a_cause_is_in_one_fold_below_it(english: None) -> None:
    session.begin(WRONG[0])
    card = session.check(WRONG[1], lambda samples, batch_size: samples / batches)  # noqa: F821
    shown = card._repr_html_()
    cause, follows = shown.index("<details open"), shown.index("This follows from what failed above. (1)")
    assert cause < follows < shown.index("there is no extra batch")
    hints = [session.hint(WRONG[1]) for _hint in range(3)]
    assert not any("Add one only" in hint or "This follows" in hint for hint in hints)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_and_a_comparison_have_a_heading_in_the_language_of_the_lesson(language: str) -> None:
    """Below those of the exercises (###), and none that a front end would take for one of the lesson."""
    session.begin("start_here", language)
    card, comparison = session.check(WRONG[1], named(*WRONG).made), compare("share", 50)
    for answer, title in ((card, card.verdict.message), (comparison, comparison.prediction.label)):
        headings = re.findall(r'<(\w+) role="heading" aria-level="4">(.*?)</', answer._repr_html_())
        assert headings == [("b", escape(title))]

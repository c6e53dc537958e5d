"""A case without a script that runs: what is accused, in which order repairs are made, and what is said of each."""

from __future__ import annotations

import json
import re

import pytest

from loaderlab.course.case import Case, Inquiry, Rates, Repair, lines
from loaderlab.course.case_card import Board, Closing, DeskCard, ScriptCard, coloured
from loaderlab.i18n.errors import LabError

SOURCE = "def slow():\n    wait()\n    return 1\n\ndef wrong():\n    seed(0)\n"
CASE = Case(
    SOURCE,
    (
        Repair("fight", "fight", ("def slow",), "No fight."),
        Repair("wait", "waiting", ("wait()",), "No wait.", {"fight": "The fight hides it."}),
        Repair("seed", "seed", ("seed(",), "Other crops.", speed=False),
    ),
    {"return 1": "it is fine."},
    first=10,
)


def rates(true: float, claimed: float = 900.0) -> Rates:
    return Rates(claimed, true, 100.0)


def found() -> Inquiry:
    inquiry = Inquiry(CASE)
    inquiry.found = rates(5)
    return inquiry


def test_an_accused_line_finds_the_fault_that_it_belongs_to() -> None:
    inquiry = found()
    inquiry.accuse([11, 12])
    assert inquiry.seen == {"wait"} and CASE.numbers(CASE.innocent) == (12,)


def test_what_was_seen_by_reading_stays_and_is_closed_by_the_first_repair() -> None:
    inquiry = found()
    inquiry.accuse([11])
    inquiry.accuse([15])
    assert inquiry.seen == {"wait", "seed"} and inquiry.accused == {15}
    inquiry.note("seed", rates(5))
    with pytest.raises(LabError, match="first repair"):
        inquiry.accuse([10])
    assert inquiry.seen == {"wait", "seed"}


def test_a_line_that_the_script_does_not_have_is_refused() -> None:
    with pytest.raises(LabError, match=r"no line 9\. It has lines 10 to 15"):
        found().accuse([9, 10])


def test_repairs_are_made_in_any_order_and_each_once() -> None:
    inquiry = found()
    inquiry.note("wait", rates(5.2))
    assert (inquiry.made, inquiry.left) == (["wait"], ["fight", "seed"])
    with pytest.raises(LabError, match="made already"):
        inquiry.check("wait")
    with pytest.raises(LabError, match="fight, wait, seed"):
        inquiry.check("opens")
    with pytest.raises(LabError, match="above 0"):
        inquiry.check("fight", -3)


def test_a_repair_behind_an_open_fault_says_what_hides_its_gain() -> None:
    inquiry = found()
    inquiry.note("wait", rates(5.2))
    assert inquiry.why(0) == "No gain that shows. No wait. The fight hides it."
    inquiry.note("fight", rates(40))
    assert "The fight hides it." in inquiry.why(0)  # it was open then
    other = found()
    other.note("fight", rates(40))
    other.note("wait", rates(41))
    assert other.why(0) == "Faster, 8.0 times. No fight."
    assert other.why(1) == "No gain that shows. No wait."


def test_a_repair_for_what_is_right_never_claims_speed() -> None:
    inquiry = found()
    inquiry.note("seed", rates(50))
    assert inquiry.why(0) == "Other crops."


def test_the_state_outlives_a_restart_and_an_edition_that_has_other_repairs() -> None:
    inquiry = found()
    inquiry.accuse([11])
    inquiry.note("wait", rates(5.2), bet=60)
    kept = json.loads(json.dumps(inquiry.state))
    again = Inquiry(CASE, kept)
    assert again.state == inquiry.state
    kept["steps"].append({"name": "gone", "rates": kept["found"], "bet": None})
    kept["accused"].append(99)
    assert Inquiry(CASE, kept).state == inquiry.state
    kept["steps"][0].pop("rates")
    assert Inquiry(CASE, kept).steps == [] and Inquiry(CASE, kept).seen == {"wait"}


def test_what_a_page_remembers_brings_lines_and_no_rates_of_another_machine() -> None:
    inquiry = Inquiry(CASE, {"accused": [11], "seen": ["wait"], "steps": [{"name": "wait", "bet": 60}]})
    assert (inquiry.accused, inquiry.seen) == ({11}, {"wait"})
    assert (inquiry.found, inquiry.steps) == (None, [])


def test_a_list_of_lines_is_read_as_it_is_typed() -> None:
    assert lines("12, 30-32") == [12, 30, 31, 32] and lines("7 9") == [7, 9] and lines("") == []
    with pytest.raises(LabError, match="x is no list"):
        lines("3, x")


def test_the_script_card_has_each_line_with_its_number_and_says_what_is_wrong() -> None:
    card = ScriptCard(found())
    assert [line["number"] for line in card.state["lines"]] == list(range(10, 16))
    assert "accused" in card.receive({"event": "accuse", "lines": [11]}) and card.inquiry.accused == {11}
    assert card.receive({"event": "accuse", "text": "99"})["error"] and card.inquiry.accused == {11}
    assert card.html.count("▶") == 1 and ">  11  " in repr(card)


def test_an_f_string_is_coloured_whole_in_every_version_of_python() -> None:
    (line,) = coloured("a = f'{b if c else 1:>3} {d[\"e\"]}' if x else 2")
    assert re.findall(r"<span[^>]*>(.*?)</span>", line) == [
        "f&#x27;{b if c else 1:&gt;3} {d[&quot;e&quot;]}&#x27;",
        "if",
        "else",
        "2",
    ]


def test_the_desk_offers_what_is_open_and_a_bet_is_judged() -> None:
    inquiry = found()
    card = DeskCard(inquiry, lambda name, bet: inquiry.note(name, rates(40), bet))
    changed = card.receive({"event": "repair", "name": "fight", "bet": "42"})
    assert [repair["name"] for repair in changed["repairs"]] == ["wait", "seed"]
    assert "≈ Your bet: 42" in changed["board"] and "Faster" in changed["said"]
    assert card.receive({"event": "repair", "name": "wait", "bet": "many"})["error"]
    assert inquiry.made == ["fight"]


def test_the_closing_card_says_from_where_to_where_and_who_was_innocent() -> None:
    inquiry = found()
    inquiry.accuse([11, 12, 14])
    for name in ("fight", "wait", "seed"):
        inquiry.note(name, rates(90), bet=90 if name == "seed" else None)
    said = repr(Closing(inquiry))
    for words in (
        "From 5% to 90% of the limit. Repairs: 3 of 3.",
        "Bets that were near: 1 of 1.",
        "Found by reading: 1 of 3 (waiting).",
        "Only the evidence showed: fight, seed.",
        "Line 12 is innocent: it is fine.",
        "Innocent, too: 14.",
    ):
        assert words in said
    assert repr(Board(inquiry)) in said

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
        Repair(
            "wait",
            "waiting",
            ("wait()",),
            "No wait.",
            behind={"fight": "The fight hides it."},
            after={"seed": "It was short already."},
            slower={"fight": "The fight is worse."},
        ),
        Repair("seed", "seed", ("seed(",), "Other crops.", speed=False),
    ),
    {"return 1": "it is fine."},
    first=10,
)


def rates(true: float, spread: float = 0.0, free: float = 1.0) -> Rates:
    return Rates(900.0, true, 100.0, 80.0, true - spread, true + spread, free)


def found() -> Inquiry:
    inquiry = Inquiry(CASE)
    inquiry.found = rates(5)
    return inquiry


def test_an_accused_line_finds_the_fault_that_it_belongs_to() -> None:
    inquiry = found()
    inquiry.accuse([11, 12])
    assert inquiry.seen == ["wait"] and CASE.numbers(CASE.innocent) == (12,)
    assert inquiry.wronged == 1


def test_what_was_seen_by_reading_stays_and_is_closed_by_the_first_repair() -> None:
    inquiry = found()
    inquiry.accuse([11])
    inquiry.accuse([15])
    assert inquiry.seen == ["wait", "seed"] and inquiry.accused == {15}
    inquiry.note("seed", rates(5))
    with pytest.raises(LabError, match="first repair"):
        inquiry.accuse([10])
    assert inquiry.seen == ["wait", "seed"]


def test_whoever_accuses_all_lines_accuses_the_innocent_too_and_cannot_take_it_back() -> None:
    inquiry = found()
    inquiry.accuse(range(10, 16))
    inquiry.accuse([10])
    assert inquiry.accused == {10} and inquiry.seen == ["fight", "wait", "seed"]
    # "return 1" is innocent, the empty line is nobody's, and the header belongs to the fault below it.
    assert inquiry.wronged == 1 and CASE.guilty == {10, 11, 14, 15}
    assert "Found by reading: 3 of 3 (fight, waiting, seed); innocent lines accused: 1." in repr(
        Closing(inquiry)
    )


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
    assert inquiry.why(0) == "No change can be seen. No wait. The fight hides it."
    inquiry.note("fight", rates(40))
    assert "The fight hides it." in inquiry.why(0)  # it was open then
    other = found()
    other.note("fight", rates(40))
    other.note("wait", rates(41))
    assert other.why(0) == "The script became faster by a factor of 8.0. No fight."
    assert other.why(1) == "No change can be seen. No wait."


def test_a_reason_is_one_of_what_is_open_or_made_and_of_a_loss_its_own() -> None:
    inquiry = found()
    inquiry.note("fight", rates(5))
    inquiry.note("seed", rates(5))
    inquiry.note("wait", rates(5))
    assert inquiry.why(2) == "No change can be seen. No wait. It was short already."
    reached = found()
    reached.note("seed", rates(84))
    reached.note("wait", rates(85))
    assert reached.why(1).startswith(
        "No change can be seen. No wait. The script was already at 84% of the limit"
    )
    slower = found()
    slower.note("wait", rates(2))
    assert slower.why(0) == "The script became slower by a factor of 2.5. No wait. The fight is worse."


@pytest.mark.parametrize(
    ("before", "after", "gain"),
    [
        pytest.param(rates(50, 5), rates(60, 4), 1, id="apart"),
        pytest.param(rates(60, 4), rates(50, 5), -1, id="apart and lower"),
        pytest.param(rates(50, 5), rates(62, 8), 0, id="the ranges meet"),
        pytest.param(rates(50, 0.1), rates(54, 0.1), 0, id="apart by less than a tenth"),
    ],
)
def test_a_difference_shows_where_two_ranges_lie_apart(before: Rates, after: Rates, gain: int) -> None:
    assert after.gain(before) == gain


def test_rates_of_epochs_are_medians_with_the_range_of_the_true_one() -> None:
    epochs = [(900.0, 20.0, 100.0, 80.0), (901.0, 10.0, 101.0, 82.0), (899.0, 90.0, 99.0, 81.0)]
    assert Rates.of(epochs, 0.7) == Rates(900.0, 20.0, 100.0, 81.0, 10.0, 90.0, 0.7)


def test_what_other_programs_disturbed_is_not_judged_and_neither_is_its_bet() -> None:
    inquiry = found()
    inquiry.note("fight", rates(40, free=0.5), bet=300)
    inquiry.note("wait", rates(80), bet=80)
    assert inquiry.why(0) == "No fight. Not judged: other programs took 50% of the cores."
    assert inquiry.why(1) == "No wait. Not judged: other programs took 50% of the cores."
    assert "– Your bet: 300" in repr(Board(inquiry))
    said = repr(Closing(inquiry))
    assert "not judged, since other programs took the cores: 2." in said and "that were near" not in said
    inquiry.note("seed", rates(80, free=0.5))
    assert "from 5%" in said and "Repairs: 3 of 3. Other programs took the cores" in repr(Closing(inquiry))


def test_a_repair_for_what_is_right_never_claims_speed_and_takes_no_bet() -> None:
    inquiry = found()
    with pytest.raises(LabError, match="right, not faster"):
        inquiry.note("seed", rates(5), bet=5)
    inquiry.note("seed", rates(5))
    assert inquiry.why(0) == "No change can be seen. Other crops."
    other = found()
    other.note("seed", rates(50))
    assert "something else made the difference" in other.why(0)


def test_the_state_outlives_a_restart_and_an_edition_that_has_other_repairs() -> None:
    inquiry = found()
    inquiry.accuse([11])
    inquiry.note("wait", rates(5.2), bet=60)
    kept = json.loads(json.dumps(inquiry.state))
    again = Inquiry(CASE, kept)
    assert again.state == inquiry.state
    kept["steps"].append({"name": "gone", "rates": kept["found"], "bet": None})
    kept["suspects"].append(99)
    assert Inquiry(CASE, kept).state == inquiry.state
    kept["steps"][0].pop("rates")
    assert Inquiry(CASE, kept).steps == [] and Inquiry(CASE, kept).seen == ["wait"]


def test_what_an_older_edition_remembers_brings_lines_and_no_rates() -> None:
    before = {"claimed": 900, "true": 5, "limit": 100}
    inquiry = Inquiry(CASE, {"accused": [11], "seen": ["wait"], "found": before, "steps": []})
    assert (inquiry.accused, inquiry.seen) == ({11}, ["wait"])
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
    assert "≈ Your bet: 42" in changed["board"] and "became faster" in changed["said"]
    assert card.receive({"event": "repair", "name": "wait", "bet": "many"})["error"]
    assert inquiry.made == ["fight"]


def test_the_closing_card_says_from_where_to_where_and_who_was_innocent() -> None:
    inquiry = found()
    inquiry.accuse([11, 12])
    for name in ("fight", "wait", "seed"):
        inquiry.note(name, rates(90), bet=100 if name == "fight" else None)
    said = repr(Closing(inquiry))
    for words in (
        "The script went from 5% to 90% of the limit. Repairs: 3 of 3.",
        "Bets that were near: 1 of 1.",
        "Found by reading: 1 of 3 (waiting); innocent lines accused: 1.",
        "Faults that only the evidence showed: fight, seed.",
        "Line 12 is innocent: it is fine.",
    ):
        assert words in said
    assert repr(Board(inquiry)) in said

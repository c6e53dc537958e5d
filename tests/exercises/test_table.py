"""A function judged on a table of calls: what passes, what is shown of the first wrong one, and what cannot cheat."""

from decimal import Decimal
from fractions import Fraction

import pytest

from loaderlab.exercises.criterion import Criterion
from loaderlab.exercises.exercise import Exercise, verdict
from loaderlab.exercises.probing import collect
from loaderlab.exercises.table import Table
from loaderlab.i18n import language

DOUBLE = Table({"small": (1, "a"), "big": (1000, "b")}, right=lambda x, y: [x * 2.0, y])
SHARE = Table({"one": (1,), "two": (2,)}, right=lambda n: n / 3, rel=1e-3)


def asking(table, *criteria):
    return Exercise(name="asked", difficulty=1, minutes=1, table=table, criteria=criteria)


def finding(table, answer, names):
    language.use("en")
    asked = asking(table, Criterion(says="the criterion", cases=names, hint="the hint", points=2))
    return asked.judge(asked.probe.run(answer))[0]


def test_a_right_answer_passes_with_its_points():
    found = finding(DOUBLE, lambda x, y: (2 * x, y), ("small", "big"))
    assert (found.passed, found.points, found.got) == (True, 2, "")


def test_the_first_wrong_call_is_shown():
    found = finding(DOUBLE, lambda x, y: [min(2 * x, 100), y], ("small", "big"))
    assert not found.passed
    assert found.expected == "[2000.0, 'b']"
    assert found.got == "[100, 'b'] · `asked(1000, 'b')`"
    assert found.hint == "the hint"


def test_only_the_named_calls_count():
    assert finding(DOUBLE, lambda x, y: [min(2 * x, 100), y], ("small",)).passed


@pytest.mark.parametrize(("value", "passed"), [(1 / 3, True), (0.33334, True), (0.34, False), (None, False)])
def test_numbers_may_differ_within_the_tolerance(value, passed):
    assert finding(SHARE, lambda n: value, ("one",)).passed == passed


def test_true_is_not_one():
    one = Table({"": ()}, right=lambda: 1)
    assert finding(one, lambda: 1, ("",)).passed
    assert not finding(one, lambda: True, ("",)).passed


def test_an_answer_cannot_change_the_case_or_claim_to_equal_everything():
    class Anything:
        def __eq__(self, other):
            return True

    table = Table({"": ([3, 1],)}, right=lambda values: values[0])

    def sorts_in_place(values):
        values.sort()
        return 1

    assert not finding(table, sorts_in_place, ("",)).passed
    assert table.calls.arguments[""] == ([3, 1],)
    assert not finding(table, lambda values: Anything(), ("",)).passed


def test_an_exception_is_evidence_and_a_gap_is_one_too():
    assert "ZeroDivisionError" in finding(SHARE, lambda n: n / 0, ("one",)).got

    def unfinished(n):
        if n == 1:
            return n / 3
        raise NotImplementedError

    assert finding(SHARE, unfinished, ("one",)).passed
    assert finding(SHARE, unfinished, ("two",)).got.startswith("nothing: `unfinished` is still to be written")


def test_a_tuple_looks_like_a_tuple():
    assert finding(DOUBLE, lambda x, y: (x, y), ("small",)).got.startswith("(1, 'a') · ")


def test_fractions_and_decimals_are_numbers():
    assert finding(SHARE, lambda n: Fraction(n, 3), ("one", "two")).passed
    assert finding(SHARE, lambda n: Decimal(n) / 3, ("one", "two")).passed


def test_floats_may_differ_within_the_tolerance_inside_a_tuple():
    pair = Table({"": ()}, right=lambda: ("loop", 9.5), rel=1e-6)
    assert finding(pair, lambda: ("loop", 9.500000000000002), ("",)).passed
    assert not finding(pair, lambda: ("loop", 9.6), ("",)).passed


def test_none_is_an_answer_where_it_can_be_right():
    maybe = Table({"no": (0,), "yes": (1,)}, right=lambda n: n or None)
    assert finding(maybe, lambda n: None, ("yes",)).got == "`None` · `asked(1)`"
    assert "`return`" in finding(SHARE, lambda n: None, ("one",)).got


def test_what_earlier_calls_left_behind_is_said_to_be_the_cause():
    kept = []

    def adds_up(n):
        kept.append(n / 3)
        return sum(kept)

    found = finding(SHARE, adds_up, ("two",))
    assert found.expected == "the same result in every call" and "`asked(1)`" in found.got


def small_numbers_only(n):
    return n / 3 if n < 100 else 0


THIRDS = asking(
    SHARE,
    Criterion(says="one", cases=("one",), hint="of one"),
    Criterion(says="all", cases=("two",), drawn=lambda random: (random.randint(3, 10**6),), hint="of all"),
)


def test_a_drawn_case_finds_what_lives_on_small_numbers_and_the_smallest_is_shown(english):
    asked = THIRDS.of_answer("def asked(n): return n / 3 if n < 100 else 0")
    fixed, drawn = verdict(asked, collect(asked.probe, small_numbers_only)).findings
    assert fixed.passed and not drawn.passed and drawn.hint == "of all"
    missed = [call[0] for cases in asked.table.drawn.values() for call in cases.values() if call[0] >= 100]
    assert drawn.got == f"0 · `asked({min(missed, key=lambda n: (len(str(n)), missed.index(n)))})`"


def test_where_a_fixed_case_fails_drawn_ones_are_not_looked_at(english):
    asked = THIRDS.of_answer("")
    fixed, drawn = asked.judge(asked.probe.run(lambda n: small_numbers_only(n) if n > 1 else 5))
    assert not fixed.passed and drawn.passed


def test_cases_are_the_same_for_an_answer_however_it_is_written_and_others_for_another():
    cases = [
        THIRDS.of_answer(text).table.calls.arguments
        for text in (
            "def asked(n):\n    return n",
            "x = 1\n\ndef asked( n ): return n  # mine",
            "def asked(n): return 0",
        )
    ]
    assert cases[0] == cases[1] != cases[2] and len(cases[0]) == 62


def test_right_the_first_time_is_not_right(english):
    seen = []

    def once(n):
        seen.append(n)
        return n / 3 if seen.count(n) == 1 else None

    assert "another result in the second call" in finding(SHARE, once, ("one", "two")).got

"""A function judged on a table of calls: what passes, what is shown of the first wrong one, and what cannot cheat."""

from decimal import Decimal
from fractions import Fraction

import pytest

from loaderlab.exercises.calls import Calls
from loaderlab.exercises.cases import Cases
from loaderlab.i18n import language

DOUBLE = Cases(Calls("double", {"small": (1, "a"), "big": (1000, "b")}), right=lambda x, y: [x * 2.0, y])
SHARE = Cases(Calls("share", {"one": (1,), "two": (2,)}), right=lambda n: n / 3, rel=1e-3)


def finding(cases, answer, names):
    language.use("en")
    return cases.criterion("the criterion", names, "the hint", points=2).finding(cases.calls.probe(answer))


def test_a_right_answer_passes_with_its_points():
    found = finding(DOUBLE, lambda x, y: (2 * x, y), ("small", "big"))
    assert (found.passed, found.points, found.got) == (True, 2, "")


def test_the_first_wrong_call_is_shown():
    found = finding(DOUBLE, lambda x, y: [min(2 * x, 100), y], ("small", "big"))
    assert not found.passed
    assert found.expected == "[2000.0, 'b']"
    assert found.got == "[100, 'b'] · `double(1000, 'b')`"
    assert found.hint == "the hint"


def test_only_the_named_calls_count():
    assert finding(DOUBLE, lambda x, y: [min(2 * x, 100), y], ("small",)).passed


@pytest.mark.parametrize(("value", "passed"), [(1 / 3, True), (0.33334, True), (0.34, False), (None, False)])
def test_numbers_may_differ_within_the_tolerance(value, passed):
    assert finding(SHARE, lambda n: value, ("one",)).passed == passed


def test_true_is_not_one():
    one = Cases(Calls("one", {"": ()}), right=lambda: 1)
    assert finding(one, lambda: 1, ("",)).passed
    assert not finding(one, lambda: True, ("",)).passed


def test_an_answer_cannot_change_the_case_or_claim_to_equal_everything():
    class Anything:
        def __eq__(self, other):
            return True

    table = Cases(Calls("first", {"": ([3, 1],)}), right=lambda values: values[0])

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
    pair = Cases(Calls("pair", {"": ()}), right=lambda: ("loop", 9.5), rel=1e-6)
    assert finding(pair, lambda: ("loop", 9.500000000000002), ("",)).passed
    assert not finding(pair, lambda: ("loop", 9.6), ("",)).passed


def test_none_is_an_answer_where_it_can_be_right():
    maybe = Cases(Calls("maybe", {"no": (0,), "yes": (1,)}), right=lambda n: n or None)
    assert finding(maybe, lambda n: None, ("yes",)).got == "`None` · `maybe(1)`"
    assert "`return`" in finding(SHARE, lambda n: None, ("one",)).got


def test_what_earlier_calls_left_behind_is_said_to_be_the_cause():
    kept = []

    def adds_up(n):
        kept.append(n / 3)
        return sum(kept)

    found = finding(SHARE, adds_up, ("two",))
    assert found.expected == "the same result whenever it is called" and "`share(1)`" in found.got

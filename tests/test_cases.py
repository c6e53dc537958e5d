"""A function judged on a table of calls: what passes, what is shown of the first wrong one, and what cannot cheat."""

import pytest

from loaderlab import language
from loaderlab.calls import Calls
from loaderlab.cases import Cases

DOUBLE = Cases(Calls("double", {"small": (1, "a"), "big": (1000, "b")}), right=lambda x, y: [x * 2.0, y])
SHARE = Cases(Calls("share", {"one": (1,), "two": (2,)}), right=lambda n: n / 3, rel=1e-3)


def finding(cases, answer, names):
    language.use("en")
    return cases.finding(cases.calls.probe(answer), names, "the criterion", "the hint", points=2)


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


def test_an_exception_is_evidence_and_an_untouched_exercise_is_not():
    found = finding(SHARE, lambda n: n / 0, ("one",))
    assert "ZeroDivisionError" in found.got

    def untouched(n):
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        SHARE.calls.probe(untouched)

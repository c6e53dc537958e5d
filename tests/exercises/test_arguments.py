"""What an answer is called with stays as it was, whatever the probe does with it; and what follows from one cause says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from loaderlab.exercises.criterion import Criterion, Miss
from loaderlab.exercises.exercise import Exercise, Verdict, verdict
from loaderlab.exercises.expect import shown
from loaderlab.exercises.probing import attempt, collect, told
from loaderlab.i18n import language


def passes(_evidence: Any) -> Iterator[Miss]:
    yield from ()


def judged(answer: Any, run: Callable[[Any], Any], kind: Any = "function", **options: Any) -> Verdict:
    criteria = (
        Criterion(says="first", look=passes, hint="a hint", points=2),
        Criterion(says="second", look=passes, hint="a hint"),
    )
    exercise = Exercise(
        name="middle", kind=kind, run=run, criteria=criteria, difficulty=1, minutes=1, **options
    )
    return verdict(exercise, collect(exercise.probe, answer))


def called(answer: Any) -> Any:
    return attempt(answer, [3, 1, 2])


def middle(values: list[int]) -> int:
    return sorted(values)[1]


def sorts(values: list[int]) -> int:
    values.sort()
    return values[1]


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_a_call_that_changes_what_it_was_given_is_a_finding_of_its_own(code: str) -> None:
    language.use(code)
    changed, first, second = judged(sorts, called).findings
    assert not changed.passed and "`sorts([3, 1, 2])`" in changed.got and "list(values)" in changed.hint
    assert first.passed and second.passed
    assert [finding.points for finding in (changed, first, second)] == [2, 0, 1]
    assert judged(middle, called).points == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda given: given[0].append(1),
        lambda given: given[1].__setitem__("a", 0),
        lambda given: given[2].add(5),
        lambda given: given[3].mul_(2),
        lambda given: given[4].sort(),
    ],
)
def test_a_change_is_noticed_in_whatever_was_given(change: Callable[[Any], Any], english: None) -> None:
    import numpy
    import torch

    def probe(answer: Any) -> Any:
        return attempt(answer, ([1], {"a": 1}, {3}, torch.tensor([1.0, float("nan")]), numpy.array([2, 1])))

    assert judged(change, probe).points == 1
    assert judged(lambda given: None, probe).points == 3


def test_what_a_class_was_made_with_is_looked_at_when_the_probe_has_ended(english: None) -> None:
    class Keeps:
        def __init__(self, values: list[int], place: int = 1) -> None:
            self.values, self.place = values, place

        def item(self) -> int:
            return sorted(self.values)[self.place]

    class Sorts(Keeps):
        def item(self) -> int:
            self.values.sort()
            return self.values[self.place]

    def probe(answer: Any) -> Any:
        return answer([3, 1, 2], place=0).item()

    before = vars(Sorts).keys()
    assert judged(Keeps, probe, "class").points == 3
    assert "`Sorts([3, 1, 2], place=0)`" in judged(Sorts, probe, "class").findings[0].got
    assert vars(Sorts).keys() == before
    assert judged(Sorts, probe, "class", changes=True).points == 3


def test_a_class_that_takes_its_arguments_by_new_is_probed_as_it_is(english: None) -> None:
    from collections import namedtuple

    assert judged(namedtuple("Pair", "a b"), lambda answer: answer([1], 2), "class").points == 3


def test_an_exception_that_is_told_twice_has_one_cure(english: None) -> None:
    def raises(part: str) -> Any:
        return lambda e: iter([Miss("1", shown(e[part]))] if "raised" in e[part] else ())

    def answer(n: int) -> int:
        if n == 3:
            raise KeyError("other")
        return n // 0

    def run(answer: Any) -> Any:
        return {part: attempt(answer, n) for part, n in zip("abc", (1, 2, 3), strict=True)}

    criteria = tuple(Criterion(says=part, look=raises(part), hint=f"hint {part}") for part in ("a", "b", "c"))
    asked = Exercise(name="x", run=run, criteria=criteria, difficulty=1, minutes=1)
    found = verdict(asked, collect(asked.probe, answer)).findings
    assert [finding.hint for finding in found] == ["hint a", "This follows from what failed above.", "hint c"]


def test_of_an_exception_in_a_worker_the_last_line_is_told() -> None:
    trace = "Caught AttributeError in DataLoader worker process 0.\nOriginal Traceback:\n  …\nAttributeError: no starts\n"
    assert told(AttributeError(trace)) == "AttributeError: no starts"
    assert told(ValueError("first\nsecond")) == "ValueError: first"

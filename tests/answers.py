"""What every lesson's tests of its exercises share: an answer is checked, and exactly the findings meant for it fail."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from loaderlab import course, language
from loaderlab.exercise import Verdict, verdict
from loaderlab.probing import collect


def check_failing(lesson: str, exercise: str, answer: Any, failing: Collection[int], code: str) -> Verdict:
    """In language ``code``, the findings with these indices fail, each with what was expected, what came and a hint.

    No other finding fails; in a translation the criterion and the hint are not the English ones.
    """
    found, english = _verdict(lesson, exercise, answer, code), _verdict(lesson, exercise, answer, "en")
    assert {i for i, f in enumerate(found.findings) if not f.passed} == set(failing), found
    assert sum(f.points for f in found.findings) == (found.maximum if found.findings else 0)
    for index in failing:
        finding = found.findings[index]
        assert finding.expected and finding.got and finding.hint
        if code != "en":
            assert finding.criterion != english.findings[index].criterion
            assert finding.hint != english.findings[index].hint
    return found


def check_untouched(lesson: str, exercise: str, answer: Any) -> None:
    """The exercise as the learner first finds it: no points, no findings, and not called a wrong answer."""
    found = _verdict(lesson, exercise, answer, "en")
    assert (found.points, found.attempted, found.findings) == (0, False, ())


def check_solved(lesson: str, exercise: str, answer: Any) -> None:
    """Full points, and every finding passed."""
    found = _verdict(lesson, exercise, answer, "en")
    assert found.points == found.maximum and all(f.passed for f in found.findings), found


@lru_cache(maxsize=256)
def _collected(lesson: str, exercise: str, answer: Any) -> dict[str, Any]:
    """Probed once for all languages: the evidence does not know of them."""
    return collect(course.lesson(lesson).probes()[exercise], answer)


def _verdict(lesson: str, exercise: str, answer: Any, code: str) -> Verdict:
    collected = _collected(lesson, exercise, answer)
    language.use(code, course.lesson(lesson).folder)
    return verdict(course.lesson(lesson).exercises()[exercise], collected)

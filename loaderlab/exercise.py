"""A graded exercise: probe the answer, get evidence, judge the evidence, say what was found.

A probe (:mod:`loaderlab.probing`) runs what the learner wrote and returns evidence; ``judge(evidence)`` knows
what was expected. The two meet only through plain JSON, so that an answer cannot hand the judge an object that
is equal to everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loaderlab.language import translate as _
from loaderlab.probing import Probe


@dataclass(frozen=True)
class Finding:
    """One criterion: passed or not, what it is worth, what was expected, what came, and how to go on."""

    passed: bool
    points: int
    criterion: str
    expected: str = ""
    got: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Exercise:
    """What the evidence of ``probe`` is worth: ``points`` in all, ``difficulty`` 1 to 3, ``minutes`` as a guide."""

    probe: Probe
    points: int
    difficulty: int
    minutes: int
    hints: tuple[str, ...]
    judge: Callable[[Any], list[Finding]]

    @property
    def name(self) -> str:
        """Also the name of the function or class that the answer defines, or of the exercise's file."""
        return self.probe.name


@dataclass(frozen=True)
class Verdict:
    """Points out of a maximum, one sentence, and the findings (none where the answer could not be judged)."""

    points: int
    maximum: int
    message: str
    findings: tuple[Finding, ...] = ()
    attempted: bool = True


def shown(outcome: Any) -> str:
    """What came of one :func:`attempt`, for the learner."""
    if "raised" in outcome:
        return _("an exception: {error}").format(error=outcome["raised"])
    if "unplain" in outcome:
        return _("an object of type {kind}, which is not a plain value").format(kind=outcome["unplain"])
    if outcome["value"] is None:
        return _("`None`. A `return` may be missing.")
    return repr(outcome["value"])


def verdict(exercise: Exercise, collected: dict[str, Any]) -> Verdict:
    """Judge what :func:`loaderlab.probing.collect` returned."""
    top = exercise.points
    status = collected["status"]
    if status == "untouched":
        return Verdict(0, top, _("Not attempted yet: 0/{top} points.").format(top=top), attempted=False)
    if status == "probed":
        findings = tuple(exercise.judge(collected["evidence"]))
        points = sum(f.points for f in findings if f.passed)
        full = _("Correct: {points}/{top} points.")
        part = _("Not yet: {points}/{top} points. The number of attempts is not limited.")
        return Verdict(
            points, top, (full if points == top else part).format(points=points, top=top), findings
        )
    kinds = {
        "function": _("the name of your function, without parentheses"),
        "class": _("the name of your class, without parentheses"),
        "file": _("the path of the file that your cell writes"),
    }
    problems = {
        "kind": _("Your answer is of type {got}. Expected: {expected}."),
        "time": _(
            "Your answer was still running after {seconds:g} s and was stopped. Look for a loop that never ends."
        ),
        "unplain": _(
            "Your answer returned an object of type {got}. Return plain numbers, strings, lists or tensors."
        ),
        "raised": _("Your answer raised an exception: {got}. Run it on a small example first."),
    }
    problem = problems[status].format(
        got=collected.get("got"), expected=kinds[exercise.probe.kind], seconds=exercise.probe.seconds
    )
    return Verdict(0, top, problem)

"""A graded exercise: probe the answer, get evidence, judge the evidence, say what was found.

A probe (:mod:`loaderlab.exercises.probing`) runs what the learner wrote and returns evidence; its criteria know what
was expected. The two meet only through plain JSON, so that an answer cannot hand the judge an object that
is equal to everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Finding
from loaderlab.exercises.probing import Probe
from loaderlab.i18n.language import translate as _


@dataclass(frozen=True)
class Exercise:
    """The judge of one exercise: points by ``criteria`` for the evidence of ``probe``; ``difficulty`` 1 to 3, ``minutes`` as a guide.

    ``hints`` are marked messages. ``prevented(evidence)`` is the one finding where the machine could not judge the
    answer at all, and else None.
    """

    probe: Probe
    criteria: tuple[Criterion, ...]
    difficulty: int
    minutes: int
    hints: tuple[str, ...]
    prevented: Callable[[Any], Finding | None] = lambda _evidence: None

    @property
    def name(self) -> str:
        """Also the name of the function or class that the answer defines, or of the exercise's file."""
        return self.probe.name

    @property
    def points(self) -> int:
        """The points of all criteria together."""
        return sum(criterion.points for criterion in self.criteria)

    def judge(self, evidence: Any) -> list[Finding]:
        """Return a finding for each criterion."""
        prevented = self.prevented(evidence)
        if prevented is not None:
            return [replace(prevented, points=self.points, judged=False)]
        return [criterion.finding(evidence) for criterion in self.criteria]

    def hint(self, number: int, advice: Sequence[str] = ()) -> str:
        """Return hint ``number`` (from 0): a first one, the ``advice`` of the last verdict, the others; then again."""
        first, *others = map(_, self.hints)
        ladder = [first, *advice, *others]
        place = number % len(ladder)
        heading = _("Hint {number} of {total}.").format(number=place + 1, total=len(ladder))
        return f"{heading} {ladder[place]}"


@dataclass(frozen=True)
class Verdict:
    """Points out of a maximum, one sentence, and the findings (none where the answer could not be judged)."""

    points: int
    maximum: int
    message: str
    findings: tuple[Finding, ...] = ()
    attempted: bool = True

    @property
    def advice(self) -> tuple[str, ...]:
        """The hints to what the answer misses, without those to what only follows from it."""
        hints = dict.fromkeys(f.hint for f in self.findings if not f.passed and f.judged)
        return tuple(hint for hint in hints if hint and hint != _(expect.FOLLOWS))


def verdict(exercise: Exercise, collected: dict[str, Any]) -> Verdict:
    """Judge what :func:`loaderlab.exercises.probing.collect` returned."""
    top = exercise.points
    status = collected["status"]
    if status == "untouched":
        return Verdict(0, top, _("Not attempted yet: 0/{top} points.").format(top=top), attempted=False)
    if status == "probed":
        first, *others = exercise.judge(collected["evidence"])
        if first.passed and "changed" in collected:
            first = _changed(first, collected["changed"])
        findings = tuple(_by_cause([first, *others], collected["evidence"]))
        points = sum(f.points for f in findings if f.passed)
        full = _("Correct: {points}/{top} points.")
        part = _("Not yet: {points}/{top} points. The number of attempts is not limited.")
        undecided = _(
            "{points}/{top} points so far. Points that could not be judged on this machine: {unjudged}."
        )
        unjudged = sum(f.points for f in findings if not f.judged)
        words = full if points == top else undecided if points + unjudged == top else part
        return Verdict(points, top, words.format(points=points, top=top, unjudged=unjudged), findings)
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


def _changed(first: Finding, call: str) -> Finding:
    """Return the first finding as missed: it also asks of every answer that the arguments stay as they were."""
    return replace(
        first,
        passed=False,
        expected=_("the arguments as they were"),
        got=_("an argument that the call has changed: {call}").format(call=f"`{call}`"),
        hint=_("`sorted(values)` makes a new list, `values.sort()` changes the one that was given."),
    )


def _by_cause(findings: list[Finding], evidence: Any) -> Iterator[Finding]:
    """Yield the findings; where one tells the same exception as another above it, no cure of its own is offered."""
    exceptions, above = set(_exceptions(evidence)), set[str]()
    for finding in findings:
        told = {error for error in exceptions if (expect.gap(error) or error) in finding.got}
        yield replace(finding, hint=_(expect.FOLLOWS)) if told & above else finding
        above |= told


def _exceptions(evidence: Any) -> Iterator[str]:
    """Yield every exception that evidence tells."""
    inside = evidence if isinstance(evidence, list) else ()
    if isinstance(evidence, dict):
        told = (evidence.get(name) for name in ("raised", "stopped", "failed"))
        yield from (error for error in told if error and isinstance(error, str))
        inside = list(evidence.values())
    for part in inside:
        if isinstance(part, dict | list):
            yield from _exceptions(part)

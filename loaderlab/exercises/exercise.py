"""A graded exercise: probe the answer, get evidence, judge the evidence, say what was found.

A probe (:mod:`loaderlab.exercises.probing`) runs what the learner wrote and returns evidence; its criteria know what
was expected. The two meet only through plain JSON, so that an answer cannot hand the judge an object that
is equal to everything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Finding, Miss
from loaderlab.exercises.probing import Kind, Probe
from loaderlab.exercises.table import Table
from loaderlab.i18n.language import translate as _


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise, the whole of it: how an answer is run, what it is asked, by criteria with their points, and for whom.

    ``name`` is also that of the function or class that the answer defines, or of the exercise's file. An answer is called
    as the ``table`` says; or ``run(answer)``, a function of the lesson's probes, returns evidence; with a table, ``run``
    gets its :class:`Calls`, too. What stands between ``kind`` and ``changes`` is said of the :class:`Probe`. ``difficulty`` is
    1 to 3, ``minutes`` are a guide. ``prevented(evidence)`` is the one finding where the machine could not judge the answer
    at all, and else None. ``follows`` names the exercise whose file this one goes on with.
    """

    name: str
    difficulty: int
    minutes: int
    criteria: tuple[Criterion, ...]
    table: Table | None = None
    run: Callable[..., Any] | None = None
    kind: Kind = "function"
    seconds: float = 10.0
    imports: tuple[str, ...] = ()
    serial: bool = False
    glance: Callable[[Any], Any] | None = None
    parts: tuple[str, ...] = ()
    changes: bool = False
    prevented: Callable[[Any], Finding | None] = lambda _evidence: None
    follows: str = ""

    @property
    def points(self) -> int:
        """The points of all criteria together."""
        return sum(criterion.points for criterion in self.criteria)

    @property
    def probe(self) -> Probe:
        """The probe of answers, which can be sent to where they are run."""
        run = self.run
        if self.table:
            run = partial(run, self.table.calls) if run else self.table.calls.probe
        assert run, f"{self.name}: neither a table nor a function runs an answer"
        said = (self.seconds, self.imports, self.serial, self.glance, self.parts, self.changes)
        return Probe(self.name, self.kind, run, *said)

    def of_answer(self, text: str) -> Exercise:
        """Return the exercise with the cases that are drawn for the answer that ``text`` defines, the same whenever it is judged."""
        if self.table is None or not any(criterion.drawn for criterion in self.criteria):
            return self
        return replace(self, table=self.table.drawing(self.criteria, Random(_definition(text, self.name))))

    def judge(self, evidence: Any) -> list[Finding]:
        """Return a finding for each criterion."""
        prevented = self.prevented(evidence)
        if prevented is not None:
            return [replace(prevented, points=self.points, judged=False)]
        return [
            criterion.finding(self._misses(index, evidence)) for index, criterion in enumerate(self.criteria)
        ]

    def _misses(self, index: int, evidence: Any) -> Iterator[Miss]:
        yield from self.criteria[index].look(evidence)
        if self.table:
            yield from self.table.look(self.name, index, self.criteria, evidence)


def hint(hints: Sequence[str], number: int, advice: Sequence[str] = ()) -> str:
    """Return hint ``number`` (from 0) of an exercise: its first one, the ``advice`` of the last verdict, its others; then again."""
    first, *others = map(_, hints)
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
        found = exercise.judge(collected["evidence"])
        if "changed" in collected and found[0].judged:
            found[:1] = [_changed(found[0], collected["changed"]), replace(found[0], points=0)]
        findings = tuple(_by_cause(found, collected["evidence"]))
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
        got=collected.get("got"), expected=kinds[exercise.kind], seconds=exercise.seconds
    )
    return Verdict(0, top, problem)


def _changed(first: Finding, call: str) -> Finding:
    """Return the finding on an answer that changed its arguments: without it, the points of the first one are not given."""
    return replace(
        first,
        passed=False,
        criterion=_("The arguments stay as they were"),
        expected=_("the arguments as they were"),
        got=_("an argument that the call has changed: {call}").format(call=f"`{call}`"),
        hint=_(
            "`pop`, `del`, `append` and `sort` change the list that was given. Work on a copy: `list(values)`, `values[1:]`, `sorted(values)`."
        ),
        draw=None,
    )


def _definition(text: str, name: str) -> str:
    """Return what defines ``name`` in a cell, without comments and the way it is written; all of it where nothing does."""
    with suppress(SyntaxError, ValueError):
        for node in reversed(ast.parse(text).body):
            if getattr(node, "name", "") == name:
                return ast.unparse(node)
    return text.strip()


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

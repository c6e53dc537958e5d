"""A graded exercise: probe the answer, get evidence, judge the evidence, say what was found.

``probe(answer)`` runs what the learner wrote and returns JSON-plain evidence (counts, bytes, indices,
values, never seconds). ``judge(evidence)`` knows what was expected. The two meet only through plain
JSON, so that an answer cannot hand the judge an object that is equal to everything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from loaderlab.language import translate as _
from loaderlab.limits import OutOfTime, time_limit

Kind = Literal["function", "class", "file"]


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
    """``points`` in all, ``difficulty`` 1 to 3, ``minutes`` as a guide; ``seconds`` is the limit of one probe."""

    name: str
    points: int
    difficulty: int
    minutes: int
    kind: Kind
    hints: tuple[str, ...]
    probe: Callable[[Any], Any]
    judge: Callable[[Any], list[Finding]]
    seconds: float = 10.0


@dataclass(frozen=True)
class Verdict:
    """Points out of a maximum, one sentence, and the findings (none where the answer could not be judged)."""

    points: int
    maximum: int
    message: str
    findings: tuple[Finding, ...] = ()
    attempted: bool = True


class Unplain(Exception):
    """Evidence holds something that JSON cannot carry."""


def plain(value: Any) -> Any:
    """``value`` as plain JSON; zero-dimensional arrays and tensors become numbers. Raises :class:`Unplain`."""

    def unwrap(thing: Any) -> Any:
        if getattr(thing, "ndim", None) == 0 and hasattr(thing, "item"):
            return thing.item()
        if hasattr(thing, "tolist"):
            return thing.tolist()
        raise Unplain(type(thing).__name__)

    try:
        return json.loads(json.dumps(value, default=unwrap))
    except (TypeError, ValueError, RecursionError) as error:
        raise Unplain(type(value).__name__) from error


def attempt(function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Call the learner's function: ``{"value": …}``, or ``{"raised": …}``, or ``{"unplain": type}``.

    ``NotImplementedError`` passes through: that is the untouched exercise.
    """
    try:
        return {"value": plain(function(*arguments))}
    except NotImplementedError:
        raise
    except Unplain as error:
        return {"unplain": str(error)}
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}


def shown(outcome: Any) -> str:
    """What came of one :func:`attempt`, for the learner."""
    if "raised" in outcome:
        return _("an exception: {error}").format(error=outcome["raised"])
    if "unplain" in outcome:
        return _("an object of type {kind}, which is not a plain value").format(kind=outcome["unplain"])
    if outcome["value"] is None:
        return _("`None`. A `return` may be missing.")
    return repr(outcome["value"])


def collect(exercise: Exercise, answer: Any) -> dict[str, Any]:
    """Probe an answer; returns ``{"status": …}`` with the evidence, or with what went wrong. Plain JSON."""
    fits = {"function": callable, "class": lambda a: isinstance(a, type), "file": lambda a: Path(a).is_file()}
    try:
        if not fits[exercise.kind](answer):
            return {"status": "kind", "got": type(answer).__name__}
    except TypeError:
        return {"status": "kind", "got": type(answer).__name__}
    try:
        with time_limit(exercise.seconds):
            return {"status": "probed", "evidence": plain(exercise.probe(answer))}
    except NotImplementedError:
        return {"status": "untouched"}
    except OutOfTime:
        return {"status": "time"}
    except Unplain as error:
        return {"status": "unplain", "got": str(error)}
    except Exception as error:
        return {"status": "raised", "got": f"{type(error).__name__}: {error}"}


def verdict(exercise: Exercise, collected: dict[str, Any]) -> Verdict:
    """Judge what :func:`collect` returned."""
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
        got=collected.get("got"), expected=kinds[exercise.kind], seconds=exercise.seconds
    )
    return Verdict(0, top, problem)

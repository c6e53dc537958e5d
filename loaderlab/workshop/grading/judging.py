"""From what came out of the sandbox to a grade: here, and only here, stands what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loaderlab.exercise import Exercise, Finding, Verdict, verdict
from loaderlab.language import mark
from loaderlab.language import translate as _
from loaderlab.limits import OutOfTime, time_limit
from loaderlab.workshop.grading.grade import Grade
from loaderlab.workshop.grading.slots import late

JUDGING = 10.0  # seconds; evidence that was forged could keep a judge busy
_LONGEST = 2000  # characters of a text that came from an answer

_ENDED = {
    70: mark("The answer could not be run, or ended itself with status 70."),
    137: mark("The answer was ended by the system (signal 9): too much memory, or it ended itself."),
    139: mark("The answer crashed (segmentation fault)."),
    152: mark("The answer used more CPU time than it may."),
    153: mark("The answer wrote more into a file than it may."),
}

_PROBLEMS = {
    "undefined": mark(
        "The answer's cell does not define `{name}` ({got}). Only this cell is graded: what it needs must stand in it."
    ),
    "missing": mark("There is no cell with an answer for `{name}`."),
    "time": mark("The answer was still running after its time, and was stopped. Look for a loop that never ends."),
    "memory": mark("The answer took more memory than it may, and was stopped."),
    "processes": mark("The answer started more processes than it may, and was stopped."),
    "evidence": mark("The answer returned more than can be looked at, and was stopped."),
    "silent": mark("The answer ended the process that ran it, before its result was known."),
    "crashed": mark("The answer ended by signal {got}."),
    "forged": mark("The answer wrote to where the evidence is written. It is not graded: look at it yourself."),
    "tampered": mark("While it was probed, the answer replaced {got}. It is not graded: look at it yourself."),
    "broke": mark("The answer ended the grader's own process, and was left out after a second attempt, alone."),
    "unjudged": mark("What the answer returned cannot be judged ({got}). It may have replaced what it is probed with: look at it yourself."),
}  # fmt: skip

STATUSES = ("graded", "untouched", "kind", "raised", "unplain", *_PROBLEMS)


def judge(exercise: Exercise, response: Mapping[str, Any]) -> Grade:
    """The grade for what a slot of the zygote answered. Never raises for what an answer has done."""
    if late(response):
        busy = _(
            "This machine was so busy that the answer got less than half of its time. Grade it again when it is quiet."
        )
        return replace(_problem(exercise, "time"), remarks=(busy,))
    if response["status"] != "probed":
        return _ended(exercise, response)
    collected, before, during = (response.get(part) for part in ("collected", "before", "during"))
    if during:
        return _problem(exercise, "tampered", _names(during))
    remarks = (
        (_("The answer had replaced {what}; it was put back.").format(what=_names(before)),) if before else ()
    )
    try:
        with time_limit(JUDGING):
            return _judged(exercise, collected, remarks)
    except (Exception, OutOfTime) as error:  # whatever forged evidence makes a judge stumble over
        return _problem(exercise, "unjudged", type(error).__name__)


def missing(exercise: Exercise) -> Grade:
    """The grade where there is no answer."""
    return _problem(exercise, "missing")


def _judged(exercise: Exercise, collected: Any, remarks: tuple[str, ...]) -> Grade:
    status = collected["status"]
    if status == "undefined":
        return _problem(exercise, "undefined", collected["got"] or "–")
    if status == "time":
        return _problem(exercise, "time")
    found = verdict(exercise, collected)
    findings = tuple(
        Finding(f.passed, f.points, f.criterion, _cut(f.expected), _cut(f.got), f.hint)
        for f in found.findings
    )
    found = Verdict(found.points, found.maximum, _cut(found.message), findings, found.attempted)
    return Grade(exercise.name, found, "graded" if status == "probed" else status, remarks)


def _ended(exercise: Exercise, response: Mapping[str, Any]) -> Grade:
    status, code = response["status"], response.get("code")
    if status != "ended":
        return _problem(exercise, status)
    if code in _ENDED:
        grade = _problem(exercise, "crashed", str(code - 128))
        return Grade(grade.exercise, Verdict(0, exercise.points, _(_ENDED[code])), grade.status)
    if code is not None and code > 128:
        return _problem(exercise, "crashed", str(code - 128))
    return _problem(exercise, "silent")


def _problem(exercise: Exercise, status: str, got: str = "") -> Grade:
    message = _(_PROBLEMS[status]).format(name=exercise.name, got=_cut(got))
    return Grade(exercise.name, Verdict(0, exercise.points, message), status)


def _names(names: Any) -> str:
    known = (
        [f"`{_cut(name)}`" for name in names if isinstance(name, str)][:5] if isinstance(names, list) else []
    )
    return ", ".join(known) or "–"


def _cut(text: Any) -> str:
    text = str(text)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"

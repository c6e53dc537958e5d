"""The judging of what came out of the sandbox: here, and only here, stands what is right."""

from __future__ import annotations

import json
import os
import pickle
import re
import select
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psutil

from loaderlab.exercises.exercise import Exercise, Verdict, verdict
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.limits import OutOfTime, time_limit
from loaderlab.teaching.grading import packages
from loaderlab.teaching.grading.grade import LACKING, Grade
from loaderlab.teaching.grading.limits import DEFINING, GIB
from loaderlab.teaching.grading.slots import late

MEMORY = GIB // 2  # bytes that a judge may take beside what the grader has
JUDGING = 10.0  # seconds; evidence that was forged could keep a judge busy
_PATIENCE = 10.0  # seconds more, for one that cannot be interrupted: deep in C, or waiting for a lock that its fork has copied
_LONGEST = 2000  # characters of a text that came from an answer

_ENDED = {
    70: mark("The answer could not be run, or ended itself with status 70."),
    137: mark("The answer was ended by the system (signal 9): it took too much memory, or it ended itself."),
    139: mark("The answer crashed (segmentation fault)."),
    152: mark("The answer used more CPU time than it may."),
    153: mark("The answer wrote more into a file than it may."),
}

_PROBLEMS = {
    "undefined": mark("The answer's cell does not define `{name}`."),
    "raised": mark("The answer's cell does not define `{name}` ({got})."),
    "missing": mark("There is no cell with an answer for `{name}`."),
    "time": mark("The answer was still running after its time, and was stopped. Look for a loop that never ends."),
    "memory": mark("The answer took more memory than it may, and was stopped."),
    "processes": mark("The answer started more processes than it may, and was stopped."),
    "evidence": mark("The answer returned more than can be looked at, and was stopped."),
    "silent": mark("The answer ended the process that ran it, before its result was known."),
    "crashed": mark("The answer was ended by signal {got}."),
    "forged": mark("The answer wrote to where the results of its tests are written. It is not graded: look at it yourself."),
    "tampered": mark("While it was tested, the answer replaced {got}. It is not graded: look at it yourself."),
    "broke": mark("The answer ended the grader's own process, and was left out after a second attempt, in which it ran alone."),
    "unjudged": mark("What the answer returned cannot be judged ({got}). The answer may have replaced what it is tested with: "
        "look at it yourself."),
}  # fmt: skip


def judge(exercise: Exercise, response: Mapping[str, Any], cells: Sequence[str] = ()) -> Grade:
    """Return the grade for what a slot of the zygote answered. Never raises for what an answer has done.

    ``cells``: the sources of the notebook's code cells, for a remark on what the answer did not find.
    """
    grade = _apart(exercise, response, cells)
    unjudged = any(not finding.judged for finding in grade.verdict.findings)
    if grade.full or not (unjudged or late(response)):
        return grade
    busy = _(
        "This machine was too busy to judge the answer. Grade the answer again when the machine is less busy."
    )
    return replace(grade, status="busy", remarks=(busy, *grade.remarks))


def _apart(exercise: Exercise, response: Mapping[str, Any], cells: Sequence[str]) -> Grade:
    """Judge in a fork with a limit of its own: what an answer returned may be made to take a judge's memory."""
    import resource  # Windows has none, and says so where it is asked to grade

    found, result = os.pipe()
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            most = psutil.Process().memory_info().vms + MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            with os.fdopen(result, "wb") as file:
                pickle.dump(_judge(exercise, response, cells), file)
        os._exit(0)
    os.close(result)
    told, until = b"", time.monotonic() + JUDGING + _PATIENCE
    with os.fdopen(found, "rb", buffering=0) as file:
        while select.select([file], [], [], max(0, until - time.monotonic()))[0] and (
            more := file.read(1 << 16)
        ):
            told += more
    over = time.monotonic() >= until
    os.kill(pid, signal.SIGKILL)  # it has ended, or no longer listens to its own limit
    os.waitpid(pid, 0)
    try:
        grade: Grade = pickle.loads(told)
    except (EOFError, pickle.UnpicklingError):
        return _problem(exercise, "unjudged", "OutOfTime" if over else "MemoryError")
    return grade


def _judge(exercise: Exercise, response: Mapping[str, Any], cells: Sequence[str]) -> Grade:
    if response["status"] != "probed":
        return _ended(exercise, response)
    collected, before, during = (response.get(part) for part in ("collected", "before", "during"))
    if during:
        return _problem(exercise, "tampered", _names(during))
    remarks = (
        [_("The answer had replaced {what}; it was put back.").format(what=_names(before))] if before else []
    )
    try:
        with time_limit(JUDGING):
            grade = _judged(exercise, collected)
            if not grade.full:
                remarks += _hindered(collected, cells)
                grade = _lacking(grade, collected, cells)
            return replace(grade, remarks=(*grade.remarks, *remarks))
    except (Exception, OutOfTime) as error:  # noqa: BLE001 (whatever forged evidence makes a judge stumble over)
        return _problem(exercise, "unjudged", type(error).__name__)


def _hindered(collected: Any, cells: Sequence[str]) -> list[str]:
    """Return the reasons why an answer that is right in its notebook may not be so here."""
    remarks = []
    if collected["slow"] is True:
        slow = _(
            "Its cell ran for more than {seconds:g} s and was stopped. What stands in it was graded all the same."
        )
        remarks.append(slow.format(seconds=DEFINING))
    for name in dict.fromkeys(packages.UNKNOWN.findall(json.dumps(collected))):
        if any(re.search(rf"^[ \t]*{name}\b[^=\n]*=(?!=)", cell, re.MULTILINE) for cell in cells):
            unknown = _(
                "The answer needs `{name}`, which the notebook computes elsewhere. From other cells, only imports, "
                "functions, classes and constants are used."
            )
            remarks.append(unknown.format(name=name))
    return remarks


def _lacking(grade: Grade, collected: Any, cells: Sequence[str]) -> Grade:
    """Return the grade with a remark on each package that the answer imports and this machine lacks, where there is one."""
    lacks = packages.lacking(json.dumps(collected), cells)
    if not lacks:
        return grade
    remark = _("`{package}` is not installed where it was graded.")
    remarks = tuple(remark.format(package=package) for package in lacks)
    return replace(grade, status=LACKING, lacks=lacks, remarks=remarks)


def missing(exercise: Exercise) -> Grade:
    """Return the grade where there is no answer."""
    return _problem(exercise, "missing")


def _judged(exercise: Exercise, collected: Any) -> Grade:
    status = collected["status"]
    if status == "undefined":
        if collected["slow"]:
            return _problem(exercise, "time")
        return _undefined(exercise, collected["got"])
    if status == "time":
        return _problem(exercise, "time")
    found = verdict(exercise, collected)
    findings = tuple(  # without pictures: nothing is drawn from what a student's answer returned
        replace(finding, expected=_cut(finding.expected), got=_cut(finding.got), draw=None)
        for finding in found.findings
    )
    message = found.message
    if findings and found.points < found.maximum:  # the learner's card speaks of further attempts
        message = _("Points: {points}/{top}.").format(points=found.points, top=found.maximum)
    found = Verdict(found.points, found.maximum, _cut(message), findings, found.attempted)
    return Grade(exercise.name, found, "graded" if status == "probed" else status)


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


def _undefined(exercise: Exercise, why: str) -> Grade:
    """``why``: what the answer's cell raised; "" where it ran, and left another name, or none."""
    grade = _problem(exercise, "raised" if why else "undefined", why)
    return replace(grade, status="undefined")


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

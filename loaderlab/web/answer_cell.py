"""The answer cell of a page: what a reader wrote is run beside what the lesson gives, and judged as in a notebook.

It is run in a Python of its own, to which the page says how (:func:`packed`) and from which it takes nothing but a text
(:func:`run`); another Python, in which no answer ever runs, judges that text (:func:`judged`).
"""

from __future__ import annotations

import ast
import base64
import io
import json
import linecache
import pickle
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from types import ModuleType
from typing import Any

from loaderlab.exercises.definitions import assigned
from loaderlab.exercises.exercise import Exercise, Verdict, verdict
from loaderlab.exercises.probing import Probe, collect
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import undefined_names
from loaderlab.notebook.card import Card

FILE = "<answer>"
LONGEST = 10_000  # characters of what an answer prints
_ABSENT = re.compile(r"NameError: name '(\w+)' is not defined|ModuleNotFoundError: No module named '(\w+)")


def packed(probe: Probe) -> str:
    """Return a probe as a text, which goes to where the answer is run."""
    return base64.b64encode(pickle.dumps(probe)).decode()


def run(probe: str, text: str, given: Sequence[str]) -> dict[str, Any]:
    """Return what a probe ``collected`` of an answer, what the answer ``printed``, and ``warnings`` on it.

    An answer that cannot be run has a traceback in what it printed, and nothing was collected of it.
    """
    wanted: Probe = pickle.loads(base64.b64decode(probe))  # what this page made of an exercise of its own
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    names: dict[str, Any] = vars(module)
    names["In"] = [*given, text]
    printed = io.StringIO()
    found: dict[str, Any] = {}
    with redirect_stdout(printed), redirect_stderr(printed):
        for statement in given:
            with suppress(Exception):  # what needs torch, or a cell that was not run, is not needed here
                exec(statement, names)
        try:
            exec(_compiled(text), names)
            answer = names[wanted.name]
        except BaseException as error:  # noqa: BLE001 - whatever an answer raises, or exits with
            printed.write(_told(error, wanted.name))
        else:
            found["collected"] = collect(wanted, answer)
            found["warnings"] = undefined_names.warnings(wanted.name, answer)
    return found | {"printed": printed.getvalue()[-LONGEST:]}


def judged(exercise: Exercise, ran: str, given: Sequence[str]) -> dict[str, Any]:
    """Return the card of an answer as HTML, its points, the advice to what it misses, and what it ``printed``.

    ``ran`` is the JSON of what :func:`run` returned. Without anything collected there is no card; nor where the answer
    ``lacks`` what no browser has. Raises :class:`LabError` where it cannot be judged: an answer may have written it.
    """
    try:
        found = json.loads(ran)
        told = {"card": "", "points": 0, "advice": [], "printed": str(found["printed"])[-LONGEST:]}
        result = verdict(exercise, found["collected"]) if "collected" in found else None
        warnings = [str(each) for each in found.get("warnings", ())]
    except Exception:  # noqa: BLE001 - whatever a judge makes of what is no evidence
        raise LabError(
            _("What your answer returned cannot be read, so it was not judged. Run your answer again.")
        ) from None
    lacks = sorted(set(_absent(ran, given)))
    if lacks and (result is None or result.points < result.maximum):
        return told | {"lacks": _lacks(lacks)}
    return told if result is None else told | _card(result, warnings)


def _card(result: Verdict, warnings: Sequence[str]) -> dict[str, Any]:
    return {
        "card": Card(result, warnings=warnings)._repr_html_(),
        "points": result.points,
        "advice": list(result.advice),
    }


def _absent(ran: str, given: Sequence[str]) -> Iterator[str]:
    """Yield the names over which an answer fell that its notebook gives it, and the packages that are not here."""
    known = {name for statement in given for name in assigned(ast.parse(statement).body)}
    for name, module in _ABSENT.findall(ran):
        if module or name in known:
            yield module or name


def _lacks(names: Sequence[str]) -> str:
    words = _(
        "This page has only Python's standard library, and not what your answer uses: {names}. Solve the exercise without it, or "
        "in your copy of the lesson. No points were counted."
    )
    return words.format(names=", ".join(names))


def _compiled(text: str) -> Any:
    # A traceback shows lines of files that linecache knows.
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    return compile(text, FILE, "exec")


def _told(error: BaseException, name: str) -> str:
    """Return the traceback of an answer, without the lines that run it."""
    if isinstance(error, KeyError) and error.args == (name,):
        return _("`{name}` is not defined. Your answer must define it.").format(name=name)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))

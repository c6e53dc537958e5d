"""The answer cell of a page: what a reader wrote is run beside what the lesson gives, and judged as in a notebook."""

from __future__ import annotations

import io
import linecache
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from types import ModuleType
from typing import Any

from loaderlab.exercises.exercise import Exercise, verdict
from loaderlab.exercises.probing import collect
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import undefined_names
from loaderlab.notebook.card import Card

FILE = "<answer>"
LONGEST = 10_000  # characters of what an answer prints


def checked(exercise: Exercise, text: str, given: list[str]) -> dict[str, Any]:
    """Return the card of an answer as HTML, its points, the advice to what it misses, and what it ``printed``.

    An answer that cannot be run has a traceback there, and no card.
    """
    exercise = exercise.of_answer(text)
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    names: dict[str, Any] = vars(module)
    names["In"] = [*given, text]
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        for statement in given:
            with suppress(Exception):  # what needs torch, or a cell that was not run, is not needed here
                exec(statement, names)
        try:
            exec(_compiled(text), names)
            answer = names[exercise.name]
        except BaseException as error:  # noqa: BLE001 - whatever an answer raises, or exits with
            printed.write(_told(error, exercise.name))
            return {"card": "", "points": 0, "advice": [], "printed": printed.getvalue()[-LONGEST:]}
        found = verdict(exercise, collect(exercise.probe, answer))
    return {
        "card": Card(found, warnings=undefined_names.warnings(exercise.name, answer))._repr_html_(),
        "points": found.points,
        "advice": list(found.advice),
        "printed": printed.getvalue()[-LONGEST:],
    }


def _compiled(text: str) -> Any:
    # A traceback shows lines of files that linecache knows.
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    return compile(text, FILE, "exec")


def _told(error: BaseException, name: str) -> str:
    """Return the traceback of an answer, without the lines that run it."""
    if isinstance(error, KeyError) and error.args == (name,):
        return _("`{name}` is not defined. Your answer has to define it.").format(name=name)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))

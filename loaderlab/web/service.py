"""The questions that a page asks of Python, and the answers: plain JSON both ways, so that each side can be tried alone.

Here as in a notebook, pictures, sentences and verdicts come from scenes and judges; a page draws them, and computes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab import course
from loaderlab.course.markup import html
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.web import parts

if TYPE_CHECKING:
    from loaderlab.exercises.exercise import Exercise

# The messages of each language, which the website's build has read from the catalogs.
MESSAGES = Path(__file__).with_name("messages")

_parts: dict[str, parts.Part] = {}


def answer(request: str) -> str:
    """Answer a page: ``{"ask": NAME, "lesson": …, "language": …, …}``; what a reader did wrong is said under ``error``."""
    asked: dict[str, Any] = json.loads(request)
    function, lesson = ANSWERS[asked.pop("ask")], asked.pop("lesson")
    speak(asked.pop("language"), lesson)
    try:
        return json.dumps(function(lesson, **asked))
    except LabError as error:
        return json.dumps({"error": str(error)})


def speak(code: str, lesson: str) -> None:
    """Speak a language, with the messages of the package and of a lesson."""
    known: dict[str, str] = {}
    for name in ("loaderlab", lesson):
        file = MESSAGES / code / f"{name}.json"
        if file.is_file():
            known |= json.loads(file.read_text("utf-8"))
    language.speak(code, known)


def begin(lesson: str, part: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """Make a part of the page anew, and return all its traits."""
    _parts[part] = parts.made(lesson, about)
    return _parts[part].state


def receive(lesson: str, part: str, about: Mapping[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """Give a part of the page a message of its view; return the traits that it changes."""
    if part not in _parts:
        begin(lesson, part, about)
    return _parts[part].receive(message)


def probe(lesson: str, exercise: str, text: str) -> dict[str, Any]:
    """Return how the answer that stands in a cell is to be run."""
    from loaderlab.web import answer_cell  # with the judges, for which no picture has to wait

    return {"probe": answer_cell.packed(_exercise(lesson, exercise, text).probe)}


def run(lesson: str, exercise: str, probe: str, text: str, given: list[str]) -> dict[str, Any]:
    """Run what stands in a cell, after the statements that the lesson has ``given``. A page asks this of a Python that nothing else is asked of."""
    from loaderlab.web import answer_cell

    return answer_cell.run(probe, text, given)


def judge(lesson: str, exercise: str, text: str, given: list[str], ran: str) -> dict[str, Any]:
    """Judge what another Python says that it found when it ran an answer: JSON, which the answer may have written."""
    from loaderlab.web import answer_cell

    return answer_cell.judged(_exercise(lesson, exercise, text), ran, given)


def _exercise(lesson: str, exercise: str, text: str) -> Exercise:
    return course.lesson(lesson).exercises()[exercise].of_answer(text)


def hint(lesson: str, exercise: str, advice: list[str], number: int) -> dict[str, Any]:
    """Return a hint of an exercise, by its number and the advice of the last check."""
    from loaderlab.exercises.exercise import hint as said

    return {"says": html(said(course.lesson(lesson).hints()[exercise], number, advice))}


ANSWERS: dict[str, Callable[..., dict[str, Any]]] = {
    each.__name__: each for each in (begin, receive, probe, run, judge, hint)
}

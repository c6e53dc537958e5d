"""The questions that a page asks of Python, and the answers: plain JSON both ways, so that each side can be tried alone.

Here as in a notebook, pictures, sentences and verdicts come from scenes and judges; a page draws them, and computes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loaderlab import course
from loaderlab.course.prediction import read
from loaderlab.drawing.scene import Parameter, Scene, written
from loaderlab.exercises.expect import FOLLOWS
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.notebook.card import html
from loaderlab.web import answer_cell

# The messages of each language, which the website's build has read from the catalogs.
MESSAGES = Path(__file__).with_name("messages")


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


def draw(lesson: str, scene: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the picture of a scene with these values, and the values that it was drawn with; others have their defaults."""
    found = _scene(lesson, scene)
    known = {parameter.name: parameter for parameter in found.parameters}
    taken, warnings = dict(found.defaults), []
    for name, value in values.items():
        if name in known:
            taken[name], warning = _taken(known[name], value)
            warnings += [warning] if warning else []
    picture = found.draw(**taken)
    return {
        "svg": picture.svg,
        "sentence": html(picture.text),
        "values": taken,
        "warning": html(" ".join(warnings)),
    }


def question(lesson: str, scene: str, number: int) -> dict[str, Any]:
    """Return the values from which a reader looks for the answer to a question."""
    return {"values": _scene(lesson, scene).defaults | dict(_question(lesson, scene, number).start)}


def reply(lesson: str, scene: str, number: int, given: Any) -> dict[str, Any]:
    """Judge the answer to a question: a choice, or what was typed."""
    found = _question(lesson, scene, number)
    guess = found.asked.checked(list(found.asked.choices)[given] if found.asked.choices else read(given))
    right = found.right(guess)
    return {
        "right": right,
        "says": _("✓ Right.") if right else _("✗ Not so. Move the sliders, and look again."),
    }


def check(lesson: str, exercise: str, text: str, given: list[str]) -> dict[str, Any]:
    """Run what stands in the answer cell, after the statements that the lesson has ``given``, and judge the answer."""
    return answer_cell.checked(course.lesson(lesson).exercises()[exercise], text, given)


def hint(lesson: str, exercise: str, advice: list[str], number: int) -> dict[str, Any]:
    """Return the next hint of an exercise: a first one, those to what the last check found, the others; then again."""
    first, *others = map(_, course.lesson(lesson).exercises()[exercise].hints)
    ladder = [first, *(each for each in advice if each != _(FOLLOWS)), *others]
    heading = _("Hint {number} of {total}.").format(number=number % len(ladder) + 1, total=len(ladder))
    return {"says": html(f"{heading} {ladder[number % len(ladder)]}")}


ANSWERS: dict[str, Callable[..., dict[str, Any]]] = {
    "draw": draw,
    "question": question,
    "reply": reply,
    "check": check,
    "hint": hint,
}


def _scene(lesson: str, name: str) -> Scene:
    return course.lesson(lesson).scenes()[name]


def _question(lesson: str, scene: str, number: int) -> Any:
    return course.lesson(lesson).questions()[scene][number]


def _taken(parameter: Parameter, value: Any) -> tuple[Any, str]:
    """Return the value that a control takes for what a reader moved, typed or wrote into a link, and a warning if that differs."""
    if parameter.choices:
        found = next((choice for choice in parameter.choices if str(choice) == str(value)), value)
        return parameter.check(found), ""
    if not parameter.is_number:
        return parameter.check({"true": True, "false": False}.get(str(value).lower(), value)), ""
    typed = read(str(value))
    nearest = parameter.nearest(typed)
    if nearest == typed:
        return nearest, ""
    words = _("{label}: set to {nearest}, the nearest that is possible. Expected: {expected}.")
    label = parameter.description
    return nearest, words.format(label=label, nearest=written(nearest), expected=parameter.expected)

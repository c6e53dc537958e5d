"""What a reader does on a page of the website: the HTML of explorers and exercises, which `docs/site/web/` brings to life.

Picture, sentence and code stand there at once, and for good where no script runs.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from loaderlab.exercises.definitions import definitions
from loaderlab.i18n.language import translate as _
from loaderlab.notebook.card import html

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from loaderlab.course import Lesson
    from loaderlab.course.question import Question
    from loaderlab.drawing.scene import Parameter

ANSWER, CHECK = "answer-", "check-"
_MAGIC = re.compile(r"\s*%")


def words() -> dict[str, str]:
    """Return what the scripts of a page say, in the language that is spoken; ``{…}`` is filled in there."""
    return {
        "loading": _("Python is being loaded: some seconds, the first time."),
        "failed": _("This does not work here: {why}. Load the page again."),
        "reset": _("Reset"),
        "more": _("More settings"),
        "link": _("Copy a link to this picture"),
        "copied": _("The link is copied."),
        "choose": _("Choose a question: the sliders move to where it begins, and a field for your answer opens."),
        "your_answer": _("your answer"),
        "runs": _("Your answer is running."),
        "unrun": _("Your answer cannot be run: see above what Python says."),
        "endless": _(
            "Your answer was still running after {seconds} s and was stopped. Look for a loop that never ends."
        ),
        "stopped": _("Stopped."),
        "reached": _("Points so far: {points}"),
        "sum": _("Points in this browser: {points} of {total}"),
        "brought": _("Your progress is here."),
        "no_progress": _("This is no progress file. Choose the progress.json of your folder of lessons."),
    }


def explorer(cell: NotebookNode, lesson: Lesson, taken: set[str]) -> str:
    """Return the explorer that a cell shows, with the values that it begins with; empty where it shows none.

    ``taken`` has the names that the page has given already, and gets its own.
    """
    call = next((node for node in _calls(cell.source, "explore")), None)
    if call is None:
        return ""
    name = ast.literal_eval(call.args[0])
    scene = lesson.scenes()[name]
    values = scene.defaults | {k: v for k, v in _set(cell.source).items() if k in scene.defaults}
    picture = scene.draw(**values)
    tallest = scene.draw(**scene.defaults | dict(scene.tallest))
    asks = any(keyword.arg == "questions" for keyword in call.keywords)
    about = {
        "kind": "explorer",
        "lesson": lesson.name,
        "scene": name,
        "values": values,
        "defaults": values,
        "controls": [_control(parameter) for parameter in scene.parameters],
        "svg": picture.svg,
        "sentence": html(picture.text),
        "tallest": round(max(each.height / each.width for each in (picture, tallest)), 4),
        "questions": [_question(*each) for each in enumerate(lesson.questions().get(name, ()))] if asks else [],
    }
    number = next(n for n in range(1, 99) if (name if n == 1 else f"{name}-{n}") not in taken)
    own = name if number == 1 else f"{name}-{number}"
    taken.add(own)
    image = f'<img class="lab-picture" alt="{escape(picture.text)}" src="data:image/svg+xml,{quote(picture.svg)}">'
    inside = f'<div class="lab-place"><div class="lab-sheet">{image}</div><p class="lab-sentence">{html(picture.text)}</p></div>'
    return _part(own, about, inside, _("The sliders need a server: open this page on the web, or run the lesson."))


def exercise(cell: NotebookNode, lesson: Lesson, given: Sequence[str]) -> str:
    """Return the place in which an exercise is solved whose answer cell this is."""
    name = cell.id.removeprefix(ANSWER)
    judge = lesson.exercises()[name]
    about = {
        "kind": "exercise",
        "lesson": lesson.name,
        "name": name,
        "stub": cell.source,
        "given": list(given),
        "seconds": judge.probe.seconds,
        "label": _("Your answer: {name}. Tab indents; press Escape, then Tab, to leave.").format(name=name),
    }
    buttons = [
        ("check", _("Check"), "Shift+Enter"),
        ("stop", _("Stop"), ""),
        ("hint", _("Hint"), ""),
        ("again", _("Begin again"), ""),
    ]
    row = "".join(
        f'<button type="button" class="lab-{css}" title="{title}"{" disabled" if css == "stop" else ""}>{escape(label)}</button>'
        for css, label, title in buttons
    )
    work = (
        f'<div class="lab-work" hidden><div class="lab-place"></div><div class="lab-buttons">{row}<span class="lab-points"></span></div>'
        '<p class="lab-status" role="status"></p><div class="lab-card" aria-live="polite"></div></div>'
    )
    return _part(
        f"exercise-{name}", about, work, _("The editor needs a server: open this page on the web, or run the lesson.")
    )


def progress(total: int) -> str:
    """Return the place for the points of this browser, and for the file that carries them."""
    work = (
        '<div class="lab-work" hidden><p class="lab-points"></p><div class="lab-buttons">'
        f'<button type="button" class="lab-take">{escape(_("Take it with me"))}</button>'
        f'<label>{escape(_("Bring a progress file:"))} <input type="file" class="lab-bring" accept="application/json"></label></div>'
        f"<p>{escape(_('The file progress.json goes into the folder that `loaderlab begin` made, and comes from there.').replace('`', ''))}</p>"
        '<p class="lab-status" role="status"></p></div>'
    )
    return _part("progress", {"kind": "progress", "total": total}, work, "")


def given(notebook: NotebookNode) -> list[str]:
    """Return the statements of a lesson's cells on which its answers can build."""
    return [
        ast.unparse(statement)
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.id.startswith((ANSWER, CHECK)) and not _MAGIC.match(cell.source)
        for statement in definitions(ast.parse(cell.source).body)
    ]


def _part(name: str, about: Mapping[str, Any], inside: str, lacks: str) -> str:
    data = escape(json.dumps(about, ensure_ascii=False))
    note = f'<p class="lab-lacks" hidden>{escape(lacks)}</p>'
    return f'<div class="lab-{about["kind"]}" id="{name}" data-lab="{data}">{inside}{note}</div>'


def _control(parameter: Parameter) -> dict[str, Any]:
    about: dict[str, Any] = {"name": parameter.name, "label": parameter.description}
    if parameter.choices:
        return about | {"kind": "choice", "options": parameter.options}
    if not parameter.is_number:
        return about | {"kind": "switch"}
    return about | {"kind": "number", "low": parameter.low, "high": parameter.high, "step": parameter.step}


def _question(number: int, question: Question) -> dict[str, Any]:
    asked = question.asked
    return {
        "name": _("Question {number}").format(number=number + 1),
        "label": asked.heading,
        "choices": [_(words) for words in asked.choices.values()] or None,
    }


def _calls(source: str, name: str) -> list[ast.Call]:
    """Return the calls of ``lab.name`` with a text as the first argument."""
    if f"lab.{name}" not in source or _MAGIC.match(source):
        return []
    return [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == f"lab.{name}"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]


def _set(source: str) -> dict[str, Any]:
    """Return the values that ``.set(…)`` is given in a cell: constants, or those of a record that the cell makes."""
    made, values = {}, {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made[ast.unparse(node.targets[0])] = node.value
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "set":
            values |= _constants(node)
            spread = [ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg is None]
            for name, call in made.items():
                values |= _constants(call) if f"vars({name})" in spread else {}
    return values


def _constants(call: ast.Call) -> dict[str, Any]:
    return {k.arg: k.value.value for k in call.keywords if k.arg and isinstance(k.value, ast.Constant)}

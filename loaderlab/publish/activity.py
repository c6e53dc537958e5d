"""The parts of a page on which a reader does something: the HTML of explorers and exercises, which `docs/site/web/` brings to life.

Picture, sentence and code stand there at once, and for good where no script runs.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from loaderlab.course import asked
from loaderlab.course.markup import html
from loaderlab.exercises.definitions import definitions
from loaderlab.i18n.language import current
from loaderlab.i18n.language import translate as _
from loaderlab.publish import bootstrap_cell, code, still, stored_results
from loaderlab.web import parts

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from loaderlab.course import Lesson

ANSWER, CHECK = "answer-", "check-"
_MAGIC = re.compile(r"\s*%")
_CASE = re.compile(r"^case\.(?:desk|rest)\(", re.MULTILINE)


def words() -> dict[str, str]:
    """Return what the scripts of a page say, in the language that is spoken; ``{…}`` is filled in there."""
    return {
        "loading": _("Python is being loaded: the first time this takes some seconds."),
        "failed": _("This does not work here: {why}. Load the page again."),
        "copied": _("The link is copied."),
        "runs": _("Your answer is running."),
        "unrun": _("Your answer cannot be run: see below what Python says."),
        "endless": _(
            "Your answer was still running after {seconds} s and was stopped. Look for a loop that never ends."
        ),
        "stopped": _("Stopped."),
        "reached": _("Points so far: {points}"),
        "sum": _("Points in this browser: {points} of {total}"),
        "brought": _("Your progress is here."),
        "refused": _(
            "Your progress is here. Entries that no exercise can have, such as too many points, were left out."
        ),
        "no_progress": _("This is no progress file. Choose the progress.json of your folder of lessons."),
    }


def explorer(source: str, lesson: Lesson, taken: set[str]) -> str:
    """Return the explorer that a cell with this source shows, with the values that it begins with; empty where it shows none.

    ``taken`` has the names that the page has given already, and gets its own.
    """
    call = next(iter(_calls(source, "explore")), None)
    if call is None:
        return ""
    name = ast.literal_eval(call.args[0])
    scene = lesson.scenes()[name]
    asks = any(keyword.arg == "questions" for keyword in call.keywords)
    about: dict[str, Any] = {
        "kind": "explorer",
        "lesson": lesson.name,
        "scene": name,
        "values": {key: value for key, value in _set(source).items() if key in scene.defaults},
        "asks": asks,
        "texts": asked.explorers(lesson, current()).get(name, ()) if asks else (),
        # A link has the choices of a list by name, not by place.
        "names": {p.name: list(map(str, p.choices)) for p in scene.parameters if p.choices},
    }
    state = parts.made(lesson.name, about).state
    own = next(each for each in (name, *(f"{name}-{n}" for n in range(2, 99))) if each not in taken)
    taken.add(own)
    link = escape(_("Copy a link to this picture"))
    inside = (
        f'{still.explorer(state)}<div class="lab-live-only lab-row"><button type="button" class="lab-link">{link}</button>'
        '<span class="lab-copied" role="status"></span></div>'
    )
    state = {name: value for name, value in state.items() if name != "picture"}  # it stands in the page
    lacks = _("The sliders need a server: open this page on the web, or run the lesson.")
    return _part(own, about | {"state": state}, inside, lacks)


def card(cell: NotebookNode, lesson: Lesson, results: Mapping[str, NotebookNode], on: str, when: str) -> str:
    """Return the card of the prediction that a cell asks for; empty where it asks for none.

    ``results`` has the cells with what was measured, by the prediction's name: ``on`` which machine, and ``when``.
    """
    call = next(iter(_calls(cell.source, "predict")), None)
    if call is None:
        return ""
    prediction = lesson.predictions()[ast.literal_eval(call.args[0])]
    found = results.get(prediction.name)
    stored = None if found is None else stored_results.result(found, prediction)
    about = {
        "kind": "card",
        "lesson": lesson.name,
        "prediction": prediction.name,
        "question": "",  # it stands above
        "stored": stored,
        "stamp": stored_results.stamp(prediction, on, when),
    }
    state = parts.made(lesson.name, about).state
    missing, show = (
        _("No result is stored here: the machine that ran the lesson could not measure it."),
        _("Show me"),
    )
    none = "" if stored is not None else f"<p>{escape(missing)}</p>"
    inside = (
        f"{still.card(state)}{none}"
        f'<div class="lab-live-only lab-row"{" hidden" if stored is None else ""}>'
        f'<button type="button" class="lab-show">{escape(show)}</button></div>'
    )
    lacks = _("The field needs a server: open this page on the web, or run the lesson.")
    return _part(f"card-{prediction.name}", about | {"state": state}, inside, lacks)


def only_shows(cell: NotebookNode) -> bool:
    """Return whether a cell does nothing but show an explorer or a card, which then says more than its code."""
    body = (
        ast.parse(cell.source).body if _calls(cell.source, "explore") + _calls(cell.source, "predict") else []
    )
    return len(body) == 1 and isinstance(body[0], ast.Expr)


def beside_case(cell: NotebookNode, on: str, when: str) -> str:
    """Return what stands below a stored card of the lesson's case: where it is played, or ``on`` which machine and ``when`` it was.

    Empty for a cell that shows none.
    """
    if "lab.case()" in cell.source:
        says = _(
            "Here the script can only be read. To accuse its lines and repair it, open your copy of the lesson, or "
            "Colab. Further down you see what the repairs brought when the lesson was run."
        )
        return f"<p>{escape(says)}</p>"
    if _CASE.search(cell.source):
        return f'<p class="lab-stamp">{html(stored_results.stored(on, when))}</p>'
    return ""


def results(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Return the cells that show what was measured, by the prediction's name."""
    return {
        ast.literal_eval(call.args[0]): cell
        for cell in notebook.cells
        if cell.cell_type == "code"
        for call in _calls(cell.source, "compare")
    }


def explained(notebook: NotebookNode) -> None:
    """Have the fold behind the results of predictions know their names: it opens with them."""
    names: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            names += [ast.literal_eval(call.args[0]) for call in _calls(cell.source, "compare")]
        elif cell.source.startswith("<details>") and names:
            cell.source = cell.source.replace("<details>", f'<details data-lab-why="{" ".join(names)}">', 1)
            names = []


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
    labels = {"check": _("Check"), "stop": _("Stop"), "hint": _("Hint"), "again": _("Begin again")}
    more = {"check": ' aria-keyshortcuts="Shift+Enter"', "stop": " disabled"}
    row = "".join(
        f'<button type="button" class="lab-{css}"{more.get(css, "")}>{escape(label)}</button>'
        for css, label in labels.items()
    ).replace("</button>", '</button><kbd aria-hidden="true">Shift+Enter</kbd>', 1)
    has = _("Here you have Python's standard library: no PyTorch and no NumPy.")
    work = (
        f'<div class="lab-work" hidden><p>{escape(has)}</p><div class="lab-place"></div><div class="lab-row">{row}<span class="lab-points"></span></div>'
        '<p class="lab-status" role="status"></p><div class="lab-verdict" aria-live="polite"></div></div>'
    )
    lacks = _("The editor needs a server: open this page on the web, or run the lesson.")
    return _part(f"exercise-{name}", about, work, lacks)


def elsewhere() -> str:
    """Return what stands at an exercise that no browser can run."""
    says = _(
        "This exercise needs PyTorch, which no browser has: solve it in your copy of the lesson, or in Colab."
    )
    return f"<p>{escape(says)}</p>"


def progress(points: Mapping[str, Mapping[str, int]]) -> str:
    """Return the place for the points of this browser, and for the file that carries them.

    ``points`` are those that exercises can give, by lesson and exercise.
    """
    take, bring = escape(_("Save my progress")), escape(_("Load a progress file:"))
    says = _(
        "The file progress.json belongs in the folder that `loaderlab begin` made: put it there, or take it from there."
    )
    work = (
        '<div class="lab-work" hidden><p class="lab-points"></p><div class="lab-row">'
        f'<button type="button" class="lab-take">{take}</button>'
        f'<label>{bring} <input type="file" class="lab-bring" accept="application/json"></label></div>'
        f'<p>{html(says)}</p><p class="lab-status" role="status"></p></div>'
    )
    return _part("progress", {"kind": "progress", "points": points}, work, "")


def given(notebook: NotebookNode) -> list[str]:
    """Return the statements of a lesson's cells on which its answers can build."""
    return [
        ast.unparse(statement)
        for cell in notebook.cells
        if cell.cell_type == "code"
        and not cell.id.startswith((ANSWER, CHECK, bootstrap_cell.ID))
        and not _MAGIC.match(cell.source)
        for statement in definitions(ast.parse(cell.source).body)
    ]


def _part(name: str, about: Mapping[str, Any], inside: str, lacks: str) -> str:
    data = escape(json.dumps(about, ensure_ascii=False))
    note = f'<p class="lab-lacks" hidden>{escape(lacks)}</p>'
    return (
        f'<div class="lab-part lab-{about["kind"]}-part" id="{name}" data-lab="{data}">{inside}{note}</div>'
    )


def _calls(source: str, name: str) -> list[ast.Call]:
    """Return the calls of ``lab.name`` with a text as the first argument."""
    found = code.calls(source, name) if f"lab.{name}" in source else ()
    return [call for call in found if call.args and isinstance(call.args[0], ast.Constant)]


def _set(source: str) -> dict[str, Any]:
    """Return the values that ``.set(…)`` is given in a cell: constants, or those of a record that the cell makes."""
    made: dict[str, ast.Call] = {}
    values: dict[str, Any] = {}
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

"""A notebook as it is committed: assembled from an edition, in one canonical form.

Its fingerprint says what its outputs depend on, as a number: where it differs, the notebook is run again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.course import outline
from loaderlab.course.prediction import WHY
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, mark
from loaderlab.i18n.language import translate as _
from loaderlab.notebook.stored import without_views
from loaderlab.publish import blocks, bootstrap_cell, code, predictions
from loaderlab.publish.checkout import EXERCISES, OPEN_IN_COLAB, SOLUTIONS, Checkout
from loaderlab.publish.slides import slide_types
from loaderlab.publish.source import (
    ANSWER,
    ASIDE,
    BEGIN,
    CHECK,
    DEEPER,
    EXPLANATION,
    NOTE,
    SETUP,
    STATEMENT,
    Cell,
)

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from loaderlab.publish.edition import Edition

_MINUTES = mark("Minutes: {minutes}, plus {more} for the exercises")
_MINUTES_AND_DEEPER = mark(
    "Minutes: {minutes}, plus {deeper} for what goes deeper, plus {more} for the exercises"
)
_UNCHANGED = mark("Your function must not change its arguments, unless the exercise says so.")
_EXERCISE = mark("Points: {points} · Difficulty: {difficulty} · Minutes: {minutes}")
CREDIT = mark("© Loader Lab authors. Texts and pictures: CC BY 4.0; code: MIT.")
_NOTE = mark("For the instructor.")
_IN_COLAB = re.compile(r" · \[[^\]]+\]\(https://colab\.research\.google\.com/[^)]*\)")
_COUNTERPART = {EXERCISES: mark("Solution"), SOLUTIONS: mark("Exercises")}


def assemble(edition: Edition, kind: str) -> NotebookNode:
    """Return the notebook of an edition, not executed. ``kind``: "exercises" (solutions cut out) or "solutions"."""
    from nbformat import v4

    cells = []
    source, lesson = edition.source.cells, edition.source.lesson
    predictions.expect_all_compared(source, list(lesson.predictions()), f"{lesson.name}/lesson.md")
    for number, (cell, slide_type, waits) in enumerate(
        zip(source, slide_types(source), predictions.waiting(source), strict=True)
    ):
        if cell.role == NOTE and kind == EXERCISES:
            continue  # not for learners
        if cell.role == SETUP:
            cells.append(bootstrap_cell.cell(edition.checkout, edition.say))
        metadata: dict[str, Any] = {"slideshow": {"slide_type": slide_type}}
        if cell.is_code:
            metadata |= _nbgrader(edition, cell)
            if tags := _tags(cell):
                metadata["tags"] = tags
            if waits and kind == EXERCISES:
                metadata["jupyter"] = {"outputs_hidden": True}  # until the cell is run
            cells.append(v4.new_code_cell(_code(edition, cell, kind), id=cell.id, metadata=metadata))
        else:
            if cell.role == ASIDE and kind == EXERCISES:
                # In Jupyter it is collapsed for that, in Colab for its id.
                metadata |= {"jp-MarkdownHeadingCollapsed": True, "id": cell.id}
            cells.append(
                v4.new_markdown_cell(_prose(edition, cell, kind, number == 0), id=cell.id, metadata=metadata)
            )
    about = {
        "lesson": edition.source.lesson.name,
        "language": edition.language,
        "kind": kind,
        "fingerprint": _fingerprint(edition, cells),
    }
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "file_extension": ".py"},
        "loaderlab": about,
    }
    if collapsed := [cell.id for cell in cells if "id" in cell.metadata]:
        metadata["colab"] = {"collapsed_sections": collapsed}
    return v4.new_notebook(cells=cells, metadata=metadata)


def canonical(notebook: NotebookNode) -> str:
    """Return the one text that a notebook is committed as."""
    import nbformat

    return (
        nbformat.writes(notebook, version=4, indent=1, ensure_ascii=False, sort_keys=True).rstrip("\n") + "\n"
    )


def read(path: Path) -> NotebookNode:
    """Return a committed notebook; raises :class:`LabError` where it cannot be read."""
    import nbformat

    try:
        return nbformat.reads(path.read_text("utf-8"), as_version=4)
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise LabError(
            _("{file} is not a notebook ({error}). Delete it, and run `loaderlab build`.").format(
                file=path, error=error
            )
        ) from None


def is_executed(notebook: NotebookNode) -> bool:
    """Return whether every code cell has been executed, but for those that only a learner runs."""
    return all(
        cell.execution_count is not None
        for cell in notebook.cells
        if cell.cell_type == "code" and bootstrap_cell.SKIPPED not in cell.metadata.get("tags", ())
    )


def is_current(notebook: NotebookNode, new: NotebookNode, edition: Edition) -> bool:
    """Return whether a committed notebook has the outputs that ``new`` would give: same ingredients, same messages."""
    about, wanted = notebook.metadata.get("loaderlab", {}), new.metadata["loaderlab"]
    known = {_digest(message) for message in edition.messages}
    return about.get("fingerprint") == wanted["fingerprint"] and known.issuperset(
        about.get("said", ("none",))
    )


def note_run(notebook: NotebookNode, messages: Iterable[str]) -> None:
    """Keep that the notebook ran today, and which messages were said meanwhile."""
    notebook.metadata["loaderlab"] |= {
        "run": date.today().isoformat(),
        "said": sorted(map(_digest, messages)),
    }


def carry_outputs(new: NotebookNode, old: NotebookNode) -> None:
    """Give each code cell of ``new`` the outputs that the cell with its id has in ``old``, and what is known of that run."""
    about = old.metadata.get("loaderlab", {})
    new.metadata["loaderlab"] |= {name: about[name] for name in ("run", "said") if name in about}
    known = {cell.get("id"): cell for cell in old.cells if cell.cell_type == "code"}
    for cell in new.cells:
        if cell.cell_type == "code" and cell.id in known:
            cell.outputs = known[cell.id].outputs
            for output in cell.outputs:
                without_views(output)
            cell.execution_count = known[cell.id].execution_count


def readdress(notebook: NotebookNode, checkout: Checkout, path: Path) -> None:
    """Give the committed notebook at ``path`` the address of ``checkout``, in the language that is spoken."""
    heading, links, rest = notebook.cells[0].source.split("\n\n", 2)
    elsewhere, between, minutes = _IN_COLAB.sub("", links).rpartition(" · ")
    if colab := checkout.colab(path):
        elsewhere += f" · [{_(OPEN_IN_COLAB)}]({colab})"
    notebook.cells[0].source = "\n\n".join([heading, f"{elsewhere}{between}{minutes}", rest])
    for cell in notebook.cells:
        if cell.id == bootstrap_cell.ID:
            cell.source = bootstrap_cell.source(checkout, _)


def _fingerprint(edition: Edition, cells: list[NotebookNode]) -> str:
    # The language counts by itself, and what installs the package changes no output: of the set-up cell, its source counts.
    setups = {cell.id: cell.source for cell in edition.source.cells if cell.role == SETUP}
    others = {bootstrap_cell.ID, *setups}
    own = [code.essence(cell.source) for cell in cells if cell.cell_type == "code" and cell.id not in others]
    return hashlib.sha256(
        "\0".join([edition.language, *setups.values(), *own, *edition.ingredients()]).encode()
    ).hexdigest()


def _digest(message: str) -> str:
    return hashlib.sha256(message.encode()).hexdigest()[:8]


def _code(edition: Edition, cell: Cell, kind: str) -> str:
    if cell.role == SETUP:
        return cell.source.replace(BEGIN, f'language="{edition.language}"')
    source = code.render(cell.source, edition.lesson_texts.get)
    if cell.role == ANSWER and kind == EXERCISES:
        return code.stub(source, cell.where, edition.say(code.YOUR_CODE))
    return source


def _prose(edition: Edition, cell: Cell, kind: str, is_first: bool) -> str:
    text = blocks.render(blocks.split(cell.source), edition.lesson_texts.get)
    if is_first:
        title, _newline, rest = text.partition("\n")
        if kind == SOLUTIONS:
            title = f"{title} ({edition.say(_COUNTERPART[EXERCISES])})"
        return f"{title}\n\n{_header(edition, kind)}\n\n{edition.say(CREDIT)}\n\n{rest.lstrip()}".rstrip()
    if cell.role == NOTE:
        lines = f"**{edition.say(_NOTE)}** {text}".split("\n")
        return "\n".join(f"> {line}".rstrip() for line in lines)
    if cell.role == EXPLANATION and kind == EXERCISES:
        return predictions.folded(edition.say(WHY), text.strip())
    if cell.role == ASIDE:
        [number] = re.findall(r"^#+ (?:\d+\. )?", text)
        return number + edition.say(predictions.DEEPER).format(title=text.removeprefix(number))
    if cell.role == DEEPER and kind == EXERCISES:
        title, rest = text.split("\n\n", 1)
        words = edition.say(predictions.DEEPER).format(title=title.strip("*"))
        return predictions.folded(words, rest.strip())
    if cell.role == STATEMENT:
        lines = text.split("\n")
        heading = next(number for number, line in enumerate(lines) if line.startswith("#"))
        first = cell.exercise == next(iter(edition.source.lesson.exercises()))
        rule = ["", edition.say(_UNCHANGED)] if first else []  # once: many begin with another lesson than 0
        lines[heading + 1 : heading + 1] = ["", _exercise_line(edition, cell.exercise), *rule]
        return "\n".join(lines)
    return text


def _header(edition: Edition, kind: str) -> str:
    """Where else this lesson is, and its minutes: no picture from the web, and paths that hold in every copy."""
    checkout, lesson = edition.checkout, edition.source.lesson
    here = checkout.notebook(lesson, edition.language, kind)

    def path(language: str, kind: str) -> str:
        return Path(os.path.relpath(checkout.notebook(lesson, language, kind), here.parent)).as_posix()

    languages = (
        f"**{name}**" if language == edition.language else f"[{name}]({path(language, kind)})"
        for language, name in LANGUAGES.items()
    )
    other = SOLUTIONS if kind == EXERCISES else EXERCISES
    links = [*languages, f"[{edition.say(_COUNTERPART[kind])}]({path(edition.language, other)})"]
    if colab := checkout.colab(here):
        links.append(f"[{edition.say(OPEN_IN_COLAB)}]({colab})")
    deeper = sum(part.minutes for part in outline.read(lesson).deeper)
    minutes = edition.say(_MINUTES_AND_DEEPER if deeper else _MINUTES).format(
        minutes=lesson.minutes, deeper=deeper, more=sum(e.minutes for e in lesson.exercises().values())
    )
    return " · ".join([*links, minutes])


def _exercise_line(edition: Edition, name: str) -> str:
    exercise = edition.source.lesson.exercises()[name]
    return edition.say(_EXERCISE).format(
        points=exercise.points,
        difficulty="●" * exercise.difficulty + "○" * (3 - exercise.difficulty),
        minutes=exercise.minutes,
    )


def _tags(cell: Cell) -> list[str]:
    """Return the tags of lesson.md; a cell that prints the machine, or a scratch folder, is not compared."""
    differs = cell.role == SETUP or cell.source.startswith("%%writefile {")
    return list(dict.fromkeys([*cell.tags, *(["nbval-ignore-output"] if differs else [])]))


def _nbgrader(edition: Edition, cell: Cell) -> dict[str, Any]:
    if cell.role not in (ANSWER, CHECK):
        return {}
    is_check = cell.role == CHECK
    metadata: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": f"check_{cell.exercise}" if is_check else cell.exercise,
        "solution": not is_check,
        "grade": is_check,
        "locked": is_check,
        "task": False,
    }
    if is_check:
        metadata["points"] = edition.source.lesson.exercises()[cell.exercise].points
    return {"nbgrader": metadata}

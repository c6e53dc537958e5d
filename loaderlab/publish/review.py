"""The review of committed files: that they are what the sources give, and that every translation is whole."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.course import outline
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import read_catalog
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import recordings
from loaderlab.publish import (
    blocks,
    bootstrap_cell,
    catalog,
    code,
    figures,
    notebook,
    raster,
    readme,
    signposts,
    style,
)
from loaderlab.publish.catalog import Message
from loaderlab.publish.checkout import KINDS, PLACEHOLDER, TRANSLATIONS, Checkout
from loaderlab.publish.edition import Edition
from loaderlab.publish.press import all_editions, own_diagrams
from loaderlab.publish.source import SETUP, Source, read

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from loaderlab.course import Lesson

MOST_BYTES = 600_000


def problems(checkout: Checkout, names: Sequence[str]) -> list[str]:
    """Return the problems, one line each, with file and cure; nothing is written, no notebook is run.

    ``names`` are lessons; the catalogs of the package and the README are always looked at.
    """
    return [" ".join(problem.split()) for problem in _problems(checkout, names)]


def _problems(checkout: Checkout, names: Sequence[str]) -> Iterator[str]:
    package = catalog.of_package(checkout)
    for language in TRANSLATIONS:
        yield from _catalog(checkout, checkout.locale / f"{language}.po", language, package)
        if said := readme.said(checkout):
            yield from _catalog(checkout, readme.locale(checkout) / f"{language}.po", language, said)
    sources: list[Source] = []
    for lesson in checkout.lessons:
        try:
            sources.append(read(lesson))
        except LabError as error:
            yield str(error)
    editions: list[dict[str, Edition]] = []
    for source in sources:
        try:
            diagrams = own_diagrams(source, sources)
            found = catalog.of_lesson(checkout, source, diagrams)
            if source.lesson.name in names:
                yield from _sources(checkout, source)
                yield from _minutes(checkout, source.lesson)
                yield from _recordings(checkout, source)
                for language in TRANSLATIONS:
                    yield from _catalog(checkout, source.lesson.folder / f"{language}.po", language, found)
            editions.append(all_editions(checkout, source, [*package, *found]))
            if source.lesson.name in names:
                yield from _lesson(checkout, editions[-1], diagrams)
        except LabError as error:
            yield str(error)
    if len(editions) == len(checkout.lessons):
        try:
            pages = readme.drawings(checkout) | readme.docs(checkout) | readme.readmes(checkout, editions)
            pages |= signposts.files(checkout)
            for path, text in pages.items():
                yield from _file(checkout, path, text)
            for path, png in readme.pictures(checkout).items():
                if not path.is_file() or path.read_bytes() != png:
                    yield _outdated(checkout, path)
        except LabError as error:
            yield str(error)
        yield from _strays(checkout, sources)
    for path in checkout.texts():
        if checkout.has_address and PLACEHOLDER in path.read_text("utf-8"):
            yield _(
                "{file}: it has the placeholder {placeholder}, although the repository has an address. Write {address}."
            ).format(file=checkout.name(path), placeholder=PLACEHOLDER, address=checkout.repository)


def _sources(checkout: Checkout, source: Source) -> Iterator[str]:
    for cell in source.cells:
        where = checkout.name(source.lesson.folder / "lesson.md") + ", " + cell.where.partition(", ")[2]
        if cell.is_code:
            for text in code.sentences(cell.source):
                yield _(
                    "{where}: the string {text!r} holds a sentence, which nobody translates. Say it in "
                    "prose, or let `lab` say it."
                ).format(where=where, text=text)
        else:
            for piece in blocks.split(cell.source):
                if piece.kind == blocks.HTML and blocks.has_words(piece.text):
                    yield _(
                        "{where}: words inside an HTML block, which nobody translates: {text}. Put them in a "
                        "paragraph, with an empty line before and after it."
                    ).format(where=where, text=piece.text.strip())


def _minutes(checkout: Checkout, lesson: Lesson) -> Iterator[str]:
    declared = sum(part.minutes for part in outline.read(lesson).sections)
    if declared != lesson.minutes:
        yield _(
            "{file}: its sections take {declared} minutes together, and LESSON in {module} says {minutes}. Correct one "
            "of them; the minutes of exercises do not count there."
        ).format(
            file=checkout.name(lesson.folder / "lesson.md"),
            declared=declared,
            module=checkout.name(lesson.folder / "__init__.py"),
            minutes=lesson.minutes,
        )


def _recordings(checkout: Checkout, source: Source) -> Iterator[str]:
    for path in unasked(source):
        yield _(
            "{file}: no cell of this lesson shows this recording, which has another lesson, benchmark or arguments. "
            "Record it again with the lesson as it is, or delete it."
        ).format(file=checkout.name(path))


def unasked(source: Source) -> Iterator[Path]:
    """Yield the recordings in a lesson's folder that no cell of it shows; raises :class:`LabError` for a file that is none."""
    sources = [cell.source for cell in source.cells if cell.is_code]
    calls = [c for text in sources for verb in ("benchmark", "recorded") for c in code.calls(text, verb)]
    for path in source.lesson.recordings:
        found = recordings.read(path)
        if found["lesson"] != source.lesson.name or not any(_shows(call, found) for call in calls):
            yield path


def _shows(call: ast.Call, recording: dict[str, Any]) -> bool:
    """Return whether the call shows the recording: by name, and for a benchmark by its arguments, as far as the cell itself has them."""
    (benchmark,) = call.args
    if isinstance(benchmark, ast.Constant):
        return bool(benchmark.value == recording["benchmark"])
    arguments = {word.arg: word.value for word in call.keywords if word.arg != "requires"}
    return (
        ast.unparse(benchmark).rpartition(".")[2] == recording["benchmark"]
        and arguments.keys() == recording["arguments"].keys()
        and all(_may_be(value, recording["arguments"][name]) for name, value in arguments.items() if name)
    )


def _may_be(written: ast.expr, recorded: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(ast.literal_eval(written))) == recorded)
    except ValueError:  # a name, or something computed
        return True


def _catalog(checkout: Checkout, path: Path, language: str, found: Sequence[Message]) -> Iterator[str]:
    from polib import pofile

    name = checkout.name(path)
    try:
        merged = catalog.merged(path, language, found)
        yield from _file(checkout, path, merged)
        # What `loaderlab build --catalogs` will leave to be translated is said before it has run.
        entries = (
            read_catalog(path) if path.is_file() and path.read_text("utf-8") == merged else pofile(merged)
        )
    except LabError as error:
        yield str(error)
        return
    for entry in entries:
        about = f"{name}: {_short(entry.msgid)!r}"
        if entry.obsolete:
            yield _(
                "{about} is no longer used. Delete it, or delete all such entries with `msgattrib --no-obsolete`."
            ).format(about=about)
        elif entry.fuzzy:
            yield _(
                "{about} is fuzzy: its English changed. Revise the translation, and remove the flag."
            ).format(about=about)
        elif not entry.msgstr:
            yield _("{about} is not translated. Translate it.").format(about=about)
        else:
            for loss in style.losses(entry.msgid, entry.msgstr):
                yield _("{about} loses or changes something: {loss}. Write it as in the English.").format(
                    about=about, loss=loss
                )
            for fault in style.faults(entry.msgstr, language):
                yield _("{about} breaks a rule of style: {fault}. Reword it.").format(
                    about=about, fault=fault
                )


def _lesson(checkout: Checkout, editions: dict[str, Edition], diagrams: Sequence[str]) -> Iterator[str]:
    committed: dict[tuple[str, str], NotebookNode] = {}
    for language, each in editions.items():
        for name in diagrams:
            path, svg = checkout.diagram(name, language), each.diagram(name)
            if language != "en":
                yield from _file(checkout, path, svg)
            if not raster.is_drawn_from(path.with_suffix(".png"), svg):
                yield _outdated(checkout, path.with_suffix(".png"))
        for kind in KINDS:
            path = checkout.notebook(each.source.lesson, language, kind)
            if not path.is_file():
                yield _missing(checkout, path)
                continue
            try:
                committed[language, kind] = notebook.read(path)
                yield from _notebook(each, path, notebook.assemble(each, kind), committed[language, kind])
            except LabError as error:
                yield str(error)
    setups = {bootstrap_cell.ID, *(cell.id for cell in editions["en"].source.cells if cell.role == SETUP)}
    for (language, kind), translated in committed.items():
        english = committed.get(("en", kind))
        if language != "en" and english is not None:
            name = checkout.name(checkout.notebook(editions["en"].source.lesson, language, kind))
            yield from _same_code(name, english, translated, setups)


def _notebook(each: Edition, path: Path, expected: NotebookNode, committed: NotebookNode) -> Iterator[str]:
    checkout, name = each.checkout, each.checkout.name(path)
    if not notebook.is_current(committed, expected, each):
        yield _("{file}: its outputs come from other code or other messages. Run `loaderlab build`.").format(
            file=name
        )
    if not notebook.is_executed(committed):
        yield _("{file}: a code cell was never executed. Run `loaderlab build`.").format(file=name)
    notebook.carry_outputs(expected, committed)
    yield from _file(checkout, path, notebook.canonical(expected))
    if path.stat().st_size >= MOST_BYTES:
        yield _(
            "{file}: {size} bytes; less than {most} are expected. Make its pictures smaller or fewer."
        ).format(file=name, size=path.stat().st_size, most=MOST_BYTES)
    for fault in figures.faults(committed):
        yield _("{file}: {fault} Run `loaderlab build --force` on a quiet machine.").format(
            file=name, fault=fault
        )
    outputs = [output for cell in committed.cells for output in cell.get("outputs", ())]
    if any(output.output_type == "error" for output in outputs):
        yield _("{file}: an output is an error. Mend the lesson, and run `loaderlab build`.").format(
            file=name
        )
    for folder in _folders_of_this_machine(checkout):
        if any(folder in str(output) for output in outputs):
            yield _(
                "{file}: an output names {folder}, which exists only on the machine that built the notebook. Print less "
                "in that cell, or silence the warning that names the folder."
            ).format(file=name, folder=folder)


def _same_code(name: str, english: NotebookNode, translated: NotebookNode, setups: set[str]) -> Iterator[str]:
    ours, theirs = _code_cells(translated), _code_cells(english)
    if list(ours) != list(theirs):
        yield _(
            "{file}: it does not have the code cells of the English notebook. Run `loaderlab build`."
        ).format(file=name)
        return
    for identity, source in ours.items():
        if identity not in setups and not code.same(source, theirs[identity]):
            yield _(
                "{file}: the code of cell {cell!r} differs from the English in more than comments and "
                "docstrings. Run `loaderlab build`."
            ).format(file=name, cell=identity)


def _strays(checkout: Checkout, sources: Sequence[Source]) -> Iterator[str]:
    """Files of the published folders that no source gives, such as those of a lesson that was renamed."""
    for language in ("en", *TRANSLATIONS):
        for kind in KINDS:
            expected = {checkout.notebook(source.lesson, language, kind) for source in sources}
            for path in sorted(set(checkout.folder(language, kind).glob("*.ipynb")) - expected):
                yield _("{file}: no lesson gives this file. Delete it.").format(file=checkout.name(path))
        if language != "en":
            svgs = {checkout.diagram(name, language) for source in sources for name in source.diagrams}
            shown = svgs | {path.with_suffix(".png") for path in svgs} | set(readme.pictures(checkout))
            images = checkout.images / language
            for path in sorted({*images.glob("*.svg"), *images.glob("*.png")} - shown):
                yield _("{file}: no lesson shows this diagram. Delete it.").format(file=checkout.name(path))


def _file(checkout: Checkout, path: Path, expected: str) -> Iterator[str]:
    if not path.is_file():
        yield _missing(checkout, path)
    elif path.read_bytes() != expected.encode():
        yield _outdated(checkout, path)


def _missing(checkout: Checkout, path: Path) -> str:
    return _("{file}: it is missing. Run `loaderlab build`, and commit the file.").format(
        file=checkout.name(path)
    )


def _outdated(checkout: Checkout, path: Path) -> str:
    return _("{file}: it is not what the sources give. Run `loaderlab build`, and commit the file.").format(
        file=checkout.name(path)
    )


def _code_cells(found: NotebookNode) -> dict[str, str]:
    return {
        cell.get("id", str(number)): cell.source
        for number, cell in enumerate(found.cells)
        if cell.cell_type == "code"
    }


def _folders_of_this_machine(checkout: Checkout) -> list[str]:
    folders = [str(checkout.root)]
    if sys.prefix != sys.base_prefix:
        folders.append(sys.prefix)
    return folders


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"

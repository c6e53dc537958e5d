"""Whether what is committed is what the sources give, and whether every translation is whole."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.course import outline
from loaderlab.publish import blocks, catalog, code, notebook, pictures, raster, readme, style
from loaderlab.publish.catalog import Message
from loaderlab.publish.edition import Edition
from loaderlab.publish.press import all_editions, own_diagrams
from loaderlab.publish.repository import strangers
from loaderlab.publish.site import KINDS, PLACEHOLDER, TRANSLATIONS, Site
from loaderlab.publish.source import SETUP, Source, read
from loaderlab.words.errors import LabError
from loaderlab.words.language import read_catalog
from loaderlab.words.language import translate as _

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from loaderlab.course import Lesson

MOST_BYTES = 600_000


def problems(site: Site, names: Sequence[str]) -> list[str]:
    """What is wrong, one line each, with file and cure; nothing is written, no notebook is run.

    ``names`` are lessons; the catalogs of the package and the README are always looked at.
    """
    return [" ".join(problem.split()) for problem in _problems(site, names)]


def _problems(site: Site, names: Sequence[str]) -> Iterator[str]:
    package = catalog.of_package(site)
    for language in TRANSLATIONS:
        yield from _catalog(site, site.locale / f"{language}.po", language, package)
        if said := readme.said(site):
            yield from _catalog(site, readme.locale(site) / f"{language}.po", language, said)
    sources: list[Source] = []
    for lesson in site.lessons:
        try:
            sources.append(read(lesson))
        except LabError as error:
            yield str(error)
    editions: list[dict[str, Edition]] = []
    for source in sources:
        try:
            diagrams = own_diagrams(source, sources)
            found = catalog.of_lesson(site, source, diagrams)
            if source.lesson.name in names:
                yield from _sources(site, source)
                yield from _minutes(site, source.lesson)
                for language in TRANSLATIONS:
                    yield from _catalog(site, source.lesson.folder / f"{language}.po", language, found)
            editions.append(all_editions(site, source, [*package, *found]))
            if source.lesson.name in names:
                yield from _lesson(site, editions[-1], diagrams)
        except LabError as error:
            yield str(error)
    if len(editions) == len(site.lessons):
        try:
            pages = readme.drawings(site) | readme.docs(site) | readme.readmes(site, editions)
            for path, text in pages.items():
                yield from _file(site, path, text)
            for path, draw in readme.pictures(site).items():
                if draw is not None:
                    yield _outdated(site, path)
        except LabError as error:
            yield str(error)
        yield from _strays(site, sources)
    for path in strangers(site):
        yield _(
            "{file}: it has the placeholder {placeholder}, although the repository has an address. Write {address}."
        ).format(file=site.name(path), placeholder=PLACEHOLDER, address=site.repository)


def _sources(site: Site, source: Source) -> Iterator[str]:
    for cell in source.cells:
        where = site.name(source.lesson.folder / "lesson.md") + ", " + cell.where.partition(", ")[2]
        if cell.is_code:
            for text in code.sentences(cell.source):
                yield _(
                    "{where}: the string {text!r} holds a sentence, which nobody translates. Say it in "
                    "prose, or let `lab` say it."
                ).format(where=where, text=text)
        else:
            for piece in blocks.split(cell.source):
                if (
                    piece.message is None
                    and re.match(r"\s*</?\w", piece.text)
                    and blocks.has_words(piece.text)
                ):
                    yield _(
                        "{where}: words inside an HTML block, which nobody translates: {text}. Put them in a "
                        "paragraph, with an empty line before and after it."
                    ).format(where=where, text=piece.text.strip())


def _minutes(site: Site, lesson: Lesson) -> Iterator[str]:
    declared = sum(part.minutes for part in outline.read(lesson).sections)
    if declared != lesson.minutes:
        yield _(
            "{file}: its sections take {declared} minutes together, and LESSON in {module} says {minutes}. Correct one "
            "of them; the minutes of exercises do not count there."
        ).format(
            file=site.name(lesson.folder / "lesson.md"),
            declared=declared,
            module=site.name(lesson.folder / "__init__.py"),
            minutes=lesson.minutes,
        )


def _catalog(site: Site, path: Path, language: str, found: Sequence[Message]) -> Iterator[str]:
    name = site.name(path)
    try:
        yield from _file(site, path, catalog.merged(path, language, found))
        entries = read_catalog(path) if path.is_file() else []
    except LabError as error:
        yield str(error)
        return
    for entry in entries:
        about = f"{name}: {_short(entry.msgid)!r}"
        if entry.obsolete:
            yield _(
                "{about} is no longer used. Delete it, or `msgattrib --no-obsolete` deletes all of them."
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


def _lesson(site: Site, editions: dict[str, Edition], diagrams: Sequence[str]) -> Iterator[str]:
    committed: dict[tuple[str, str], NotebookNode] = {}
    for language, each in editions.items():
        for name in diagrams:
            path, svg = site.diagram(name, language), each.diagram(name)
            if language != "en":
                yield from _file(site, path, svg)
            if not raster.is_drawn_from(path.with_suffix(".png"), svg):
                yield _outdated(site, path.with_suffix(".png"))
        for kind in KINDS:
            path = site.notebook(each.source.lesson, language, kind)
            if not path.is_file():
                yield _missing(site, path)
                continue
            try:
                committed[language, kind] = notebook.read(path)
                yield from _notebook(each, path, notebook.assemble(each, kind), committed[language, kind])
            except LabError as error:
                yield str(error)
    setups = {cell.id for cell in editions["en"].source.cells if cell.role == SETUP}
    for (language, kind), translated in committed.items():
        english = committed.get(("en", kind))
        if language != "en" and english is not None:
            name = site.name(site.notebook(editions["en"].source.lesson, language, kind))
            yield from _same_code(name, english, translated, setups)


def _notebook(each: Edition, path: Path, expected: NotebookNode, committed: NotebookNode) -> Iterator[str]:
    site, name = each.site, each.site.name(path)
    if not notebook.is_current(committed, expected, each):
        yield _("{file}: its outputs come from other code or other messages. Run `loaderlab build`.").format(
            file=name
        )
    if not notebook.is_executed(committed):
        yield _("{file}: a code cell was never executed. Run `loaderlab build`.").format(file=name)
    notebook.carry_outputs(expected, committed)
    yield from _file(site, path, notebook.canonical(expected))
    if path.stat().st_size >= MOST_BYTES:
        yield _(
            "{file}: {size} bytes; less than {most} are expected. Make its pictures smaller or fewer."
        ).format(file=name, size=path.stat().st_size, most=MOST_BYTES)
    for fault in pictures.faults(committed):
        yield _("{file}: {fault} Run `loaderlab build --force` on a quiet machine.").format(
            file=name, fault=fault
        )
    outputs = [output for cell in committed.cells for output in cell.get("outputs", ())]
    if any(output.output_type == "error" for output in outputs):
        yield _("{file}: an output is an error. Mend the lesson, and run `loaderlab build`.").format(
            file=name
        )
    for folder in _folders_of_this_machine(site):
        if any(folder in str(output) for output in outputs):
            yield _(
                "{file}: an output names {folder}, which only the machine has that built it. Print less in "
                "that cell, or silence the warning that names it."
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


def _strays(site: Site, sources: Sequence[Source]) -> Iterator[str]:
    """Files of the published folders that no source gives, such as those of a lesson that was renamed."""
    for language in ("en", *TRANSLATIONS):
        for kind in KINDS:
            expected = {site.notebook(source.lesson, language, kind) for source in sources}
            for path in sorted(set(site.folder(language, kind).glob("*.ipynb")) - expected):
                yield _("{file}: no lesson gives this file. Delete it.").format(file=site.name(path))
        if language != "en":
            svgs = {site.diagram(name, language) for source in sources for name in source.diagrams}
            shown = svgs | {path.with_suffix(".png") for path in svgs} | set(readme.pictures(site))
            for path in sorted(set((site.images / language).glob("*.*")) - shown):
                yield _("{file}: no lesson shows this diagram. Delete it.").format(file=site.name(path))


def _file(site: Site, path: Path, expected: str) -> Iterator[str]:
    if not path.is_file():
        yield _missing(site, path)
    elif path.read_bytes() != expected.encode():
        yield _outdated(site, path)


def _missing(site: Site, path: Path) -> str:
    return _("{file}: it is missing. Run `loaderlab build`, and commit the file.").format(
        file=site.name(path)
    )


def _outdated(site: Site, path: Path) -> str:
    return _("{file}: it is not what the sources give. Run `loaderlab build`, and commit the file.").format(
        file=site.name(path)
    )


def _code_cells(found: NotebookNode) -> dict[str, str]:
    return {
        cell.get("id", str(number)): cell.source
        for number, cell in enumerate(found.cells)
        if cell.cell_type == "code"
    }


def _folders_of_this_machine(site: Site) -> list[str]:
    folders = [str(site.root)]
    if sys.prefix != sys.base_prefix:
        folders.append(sys.prefix)
    return folders


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"

"""The press, which makes the files that are committed from the sources: catalogs, diagrams, notebooks, the READMEs and their parts of `docs/`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES
from loaderlab.i18n.language import translate as _
from loaderlab.publish import catalog, execution, figures, notebook, raster, readme, signposts
from loaderlab.publish.catalog import Message
from loaderlab.publish.checkout import KINDS, TRANSLATIONS, Checkout, write
from loaderlab.publish.edition import Edition, edition
from loaderlab.publish.source import Source, read

if TYPE_CHECKING:
    from nbformat import NotebookNode

ATTEMPTS = 3  # runs of a notebook whose pictures contradict themselves, before the build gives up


def build(
    checkout: Checkout,
    names: Sequence[str],
    force: bool = False,
    say: Callable[[str], None] = print,
    only_catalogs: bool = False,
) -> None:
    """Write what the sources give; run the notebooks whose ingredients changed, or all with ``force``.

    ``names`` are lessons; the catalogs of the package and the README are always renewed. With ``only_catalogs`` nothing
    else is, and nothing is run.
    """

    def save(path: Path, content: str | bytes) -> None:
        if write(path, content):
            say(_("written: {file}").format(file=checkout.name(path)))

    for path, text in signposts.files(checkout).items():  # first, because the catalogs have their words
        save(path, text)
    sources = [read(lesson) for lesson in checkout.lessons]
    package = catalog.of_package(checkout)
    for language in TRANSLATIONS:
        path = checkout.locale / f"{language}.po"
        save(path, catalog.merged(path, language, package))
        if said := readme.said(checkout):
            path = readme.locale(checkout) / f"{language}.po"
            save(path, catalog.merged(path, language, said))
    editions: list[dict[str, Edition]] = []
    for source in sources:
        found = catalog.of_lesson(checkout, source, own_diagrams(source, sources))
        if source.lesson.name in names:
            for language in TRANSLATIONS:
                path = source.lesson.folder / f"{language}.po"
                save(path, catalog.merged(path, language, found))
        editions.append(all_editions(checkout, source, [*package, *found]))
    if only_catalogs:
        return
    chosen = [by_language for by_language in editions if by_language["en"].source.lesson.name in names]
    for each in (each for by_language in chosen for each in by_language.values()):
        for name in own_diagrams(each.source, sources):
            path, svg = checkout.diagram(name, each.language), each.diagram(name)
            if each.language != "en":
                save(path, svg)
            if not raster.is_drawn_from(path.with_suffix(".png"), svg):
                save(path.with_suffix(".png"), raster.png(svg))
        for kind in KINDS:
            path = checkout.notebook(each.source.lesson, each.language, kind)
            save(path, notebook.canonical(_finished(each, kind, path, force, say)))
    # Last, because they show what the notebooks found.
    for path, text in (
        readme.drawings(checkout) | readme.docs(checkout) | readme.readmes(checkout, editions)
    ).items():
        save(path, text)
    for path, png in readme.pictures(checkout).items():
        save(path, png)


def all_editions(checkout: Checkout, source: Source, found: Sequence[Message]) -> dict[str, Edition]:
    """Return the edition of a lesson in every language; ``found``: the messages of the lesson and the package."""
    return {language: edition(checkout, source, language, found) for language in LANGUAGES}


def own_diagrams(source: Source, sources: Sequence[Source]) -> list[str]:
    """Return the diagrams whose texts this lesson translates: those that no lesson before it shows."""
    earlier = {name for other in sources[: sources.index(source)] for name in other.diagrams}
    return [name for name in source.diagrams if name not in earlier]


def _finished(each: Edition, kind: str, path: Path, force: bool, say: Callable[[str], None]) -> NotebookNode:
    new = notebook.assemble(each, kind)
    if path.is_file() and not force:
        old = notebook.read(path)
        if notebook.is_current(old, new, each):
            notebook.carry_outputs(new, old)
            if notebook.is_executed(new):
                return new
    where = f"{each.source.lesson.name} ({each.language}, {kind})"
    for _attempt in range(ATTEMPTS):
        say(_("running: {file}").format(file=each.checkout.name(path)))
        begun = time.monotonic()
        said = execution.run(new, path.parent, where, execution.environment(each.checkout))
        say(_("seconds: {seconds:.1f}").format(seconds=time.monotonic() - begun))
        faults = list(figures.faults(new))
        if not faults:
            # A number or a unit may be looked up as well, and is no message.
            notebook.note_run(new, said & each.messages)
            return new
        for fault in faults:
            say(f"  ✗ {fault}")
    raise LabError(
        _(
            "{where}: after {count} runs the measurement is still not reliable: {fault} Nothing was written. Expected: "
            "no median above its own limit, no count below zero, repeats within a factor of 2, a machine without other "
            "work. Mend what the cell measures, or build again on a quiet machine."
        ).format(where=where, count=ATTEMPTS, fault=faults[0])
    )

"""The catalogs of messages: what there is to translate, in PO files that git can show a change of.

References carry no line numbers and headers no dates, so a build that changes nothing writes nothing.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import HINT, read_catalog
from loaderlab.i18n.language import translate as _
from loaderlab.publish import blocks, code, diagrams

if TYPE_CHECKING:
    from loaderlab.publish.checkout import Checkout
    from loaderlab.publish.source import Source


@dataclass(frozen=True)
class Message:
    """An English text to translate, the file that it stands in, and what it is there."""

    text: str
    file: str
    kind: str = ""


def of_lesson(checkout: Checkout, source: Source, diagram_names: Sequence[str]) -> list[Message]:
    """Return the messages of a lesson: prose, comments, docstrings, the texts of diagrams, and its Python messages."""
    folder = source.lesson.folder
    file = checkout.name(folder / "lesson.md")
    found = [
        Message(text, file, kind)
        for cell in source.cells
        for text, kind in _of_cell(cell.source, cell.is_code)
    ]
    found += [Message(text, file, HINT) for hints in source.lesson.hints().values() for text in hints]
    for name in diagram_names:
        path = checkout.images / f"{name}.svg"
        found += [
            Message(piece.message, checkout.name(path), piece.kind)
            for piece in diagrams.split(read_diagram(path))
            if piece.message is not None
        ]
    return [*found, *of_python(checkout.root, sorted(folder.glob("*.py")))]


def of_package(checkout: Checkout) -> list[Message]:
    """Return the messages of the package itself, to learners, instructors and authors."""
    lessons = checkout.package / "lessons"
    paths = (path for path in sorted(checkout.package.rglob("*.py")) if lessons not in path.parents)
    return of_python(checkout.root, list(paths))


def read_diagram(path: Path) -> str:
    """Return the English SVG at ``path``; raises :class:`LabError` when a lesson shows one that is not there."""
    if not path.is_file():
        raise LabError(
            _(
                "A lesson shows the diagram {name!r}, but there is no {file}. Draw it, or correct the name."
            ).format(name=path.stem, file=path)
        )
    return path.read_text("utf-8")


def of_python(root: Path, paths: Sequence[Path]) -> list[Message]:
    """Return the messages of Python files: what :func:`code.messages` finds there."""
    return [
        Message(text, path.relative_to(root).as_posix())
        for path in paths
        for text in code.messages(path.read_text("utf-8"))
    ]


def merged(path: Path, language: str, found: Sequence[Message]) -> str:
    """Return the catalog at ``path`` as it is after ``found`` has been merged into it, as text.

    A translation whose English changed becomes fuzzy and shows the previous English; one that is no longer
    used stays at the end, commented out. Raises :class:`LabError` where the catalog does not parse.
    """
    if path.is_file():
        read_catalog(path)
        old = path.read_text("utf-8")
    else:
        old = _HEADER.format(language=language)
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
        catalog, template = Path(folder, "old.po"), Path(folder, "new.pot")
        catalog.write_bytes(old.encode())
        template.write_bytes(_template(found).encode())
        options = ["--previous", "--no-wrap", "--quiet", "--output-file=-"]
        return _gettext(["msgmerge", *options, str(catalog), str(template)], Path(folder))


_HEADER = """msgid ""
msgstr ""
"Project-Id-Version: loaderlab\\n"
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def _of_cell(text: str, is_code: bool) -> Iterator[tuple[str, str]]:
    if is_code:
        yield from ((remark.message, remark.kind) for remark in code.remarks(text))
    else:
        yield from ((piece.message, piece.kind) for piece in blocks.split(text) if piece.message is not None)


def _template(found: Sequence[Message]) -> str:
    import polib

    entries: dict[str, polib.POEntry] = {}
    for message in found:
        entry = entries.setdefault(message.text, polib.POEntry(msgid=message.text, comment=message.kind))
        if (message.file, "") not in entry.occurrences:
            entry.occurrences.append((message.file, ""))
    template = polib.POFile()
    template.extend(entries.values())
    template.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "8bit"}
    return str(template) + "\n"


def _gettext(command: Sequence[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    except FileNotFoundError:
        raise LabError(
            _(
                "{program} is not installed; building and checking lessons needs GNU gettext. Install it: "
                "`apt install gettext`, `brew install gettext`, or on Windows `winget install gettext`."
            ).format(program=command[0])
        ) from None
    if done.returncode:
        raise LabError(
            _("{program} failed: {error}. Mend the file that it names, then build again.").format(
                program=command[0], error=done.stderr.decode("utf-8", "replace").strip()
            )
        )
    return done.stdout.decode("utf-8")

"""The Python that a page takes into the browser: a zip for each language, with just the modules that it needs, and the messages."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from loaderlab.drawing.font_metrics import WIDTHS
from loaderlab.exercises import written
from loaderlab.i18n.language import LOCALE, messages
from loaderlab.publish.checkout import Checkout

SERVICE, MESSAGES = ("loaderlab.web.service", "loaderlab.web.answer_cell"), "loaderlab/web/messages"
# What a page asks of a lesson is found by these names; modules that only a cell needs stay at home.
PARTS = ("names", "scene", "questions", "predictions", "probes", "exercises")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes from the same sources: a browser keeps what did not change


def archive(checkout: Checkout, language: str) -> bytes:
    """Return the zip of a language."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, content in sorted(_content(checkout, language).items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, content)
    return packed.getvalue()


def _content(checkout: Checkout, language: str) -> dict[str, bytes]:
    """Return what the zip holds, by its path there."""
    paths = [*modules(checkout), checkout.root / "loaderlab" / "drawing" / WIDTHS.name]
    found = {checkout.name(path): path.read_bytes() for path in paths}
    folders = {"loaderlab": LOCALE, **{lesson.name: lesson.folder for lesson in checkout.lessons}}
    for name, folder in folders.items():
        said = json.dumps(messages(language, folder, prose=False), ensure_ascii=False)
        found[f"{MESSAGES}/{language}/{name}.json"] = said.encode()
    for lesson in checkout.lessons:  # by this file one knows a lesson
        path = lesson.folder / "lesson.md"
        found[checkout.name(path)] = written.essence(path.read_text("utf-8")).encode()
    return found


def modules(checkout: Checkout) -> list[Path]:
    """Return the files of all modules that the service and the lessons import when they are imported."""
    waiting = list(SERVICE)
    for lesson in checkout.lessons:
        waiting += [
            f"loaderlab.lessons.{lesson.name}.{part}"
            for part in PARTS
            if (lesson.folder / f"{part}.py").is_file()
        ]
    found: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        path = _file(checkout.root, name)
        if path is None or name in found:
            continue
        found[name] = path
        waiting += [name.rpartition(".")[0], *_imported(path)]
    return sorted(found.values())


def _file(root: Path, name: str) -> Path | None:
    path = root.joinpath(*name.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def _imported(path: Path) -> Iterator[str]:
    """Yield what a module imports of the package at once: not in functions, where it may need torch."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("loaderlab"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("loaderlab"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)

"""The progress that a learner's folder remembers from one day to the next: points, guesses and hints, by lesson.

They lie in ``progress.json``, which `loaderlab begin` puts beside the lessons, or, for the lessons of all languages, beside their folders.
Where there is no such file (a clone, Colab, a test) nothing is remembered beyond the session.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write

FILE = "progress.json"
VERSION = 1  # a reader of a later version reads this one, too
EMPTY = json.dumps({"version": VERSION, "lessons": {}}, indent=1) + "\n"


def place(folder: Path) -> Path:
    """Return the file that remembers for the notebooks of ``folder``, whether it is there or not."""
    beside = folder.parent / FILE
    if not (folder / FILE).is_file() and folder.name in LANGUAGES and beside.is_file():
        return beside
    return folder / FILE


def recall(folder: Path, lesson: str) -> dict[str, Any]:
    """Return what is remembered of a lesson: ``points``, ``guesses`` and ``hints``, each by name; nothing without a file.

    Raises :class:`LabError` where the file cannot be read, and leaves it as it is.
    """
    found = _read(folder).get(lesson, {})
    return found if isinstance(found, dict) else {}


def remember(folder: Path, lesson: str, state: dict[str, Any]) -> None:
    """Keep ``state`` for the lesson, beside what other lessons have there; an empty one is forgotten.

    Raises :class:`LabError` where the file that is there cannot be read: what is in it is not written over.
    """
    path = place(folder)
    if not path.is_file():
        return
    lessons = _read(folder)
    lessons.pop(lesson, None)
    if state:
        lessons[lesson] = state
    text = (
        json.dumps({"version": VERSION, "lessons": lessons}, indent=1, ensure_ascii=False, sort_keys=True)
        + "\n"
    )
    # Another notebook of the folder never reads half a file. On a full disk, or in a folder without the right to write, the
    # session remembers, and its end forgets.
    with suppress(LabError, OSError):
        atomic_write.write(path, text.encode(), path.stat().st_mode & 0o777)


def _read(folder: Path) -> dict[str, Any]:
    path = place(folder)
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
        if found["version"] > VERSION:
            raise ValueError(f"version {found['version']}")
        return dict(found["lessons"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LabError(
            _(
                "{file} cannot be read ({error}), so nothing is remembered, and nothing in it is changed. Expected: the file that "
                "`loaderlab begin` made. Move it away, and run `loaderlab begin` again."
            ).format(file=path, error=error)
        ) from None

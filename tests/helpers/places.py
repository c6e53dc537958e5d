"""The places of things: the repository, its notebooks, the scripts that a lesson writes."""

from __future__ import annotations

import re
from pathlib import Path

from loaderlab.course import Lesson
from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish.checkout import EXERCISES, Checkout

ROOT = Path(__file__).parents[2]
# Where this variable is set, what is tried in one language of each lesson is tried in all.
EVERY = "LOADERLAB_EVERY_NOTEBOOK"
_CHECKOUT = Checkout(ROOT, (), "", "")
STUDENT_FOLDERS = {code: _CHECKOUT.folder(code, EXERCISES).name for code in LANGUAGES}


def notebooks() -> dict[str, Path]:
    """Return every built notebook: its name in a report ("fr-solution-01_workers") and its path."""
    kinds = {f"{language}-student": ROOT / folder for language, folder in STUDENT_FOLDERS.items()}
    kinds |= {f"{language}-solution": ROOT / "solutions" / language for language in STUDENT_FOLDERS}
    found = ((kind, path) for kind, folder in kinds.items() for path in sorted(folder.glob("*.ipynb")))
    return {f"{kind}-{path.stem}": path for kind, path in found}


def is_in_turn(path: Path) -> bool:
    """Return whether this notebook is in its lesson's language: lessons in a row take the languages in turn, solutions the next one."""
    languages = [*STUDENT_FOLDERS, *STUDENT_FOLDERS.values()]
    number, count = int(path.stem.split("_")[0]), len(STUDENT_FOLDERS)
    kind, language = divmod(languages.index(path.parent.name), count)
    return language == (number + (kind == 0)) % count


def scripts(lesson: Lesson) -> dict[str, str]:
    """Return the scripts that the notebook of a lesson writes, by file name."""
    text = (lesson.folder / "lesson.md").read_text("utf-8")
    return dict(re.findall(r"%%writefile \{lab\.scratch\}/(\w+\.py)\n(.*?)\n```", text, re.DOTALL))

"""What several tests share: where things are, and what to do where a tool is missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from loaderlab import language

ROOT = Path(__file__).parent.parent
STUDENT_FOLDERS = {"en": "notebooks", "fr": "notebooks_fr", "pl": "notebooks_pl"}
# A test that takes one of these runs for every notebook whose name in a report has these words; for
# `student_notebook`, which is for slow tests, for one language of each lesson, and with EVERY set for all.
NOTEBOOK_FIXTURES = {"notebook": "", "student_notebook": "-student-", "english_solution": "en-solution-"}
EVERY = "LOADERLAB_EVERY_NOTEBOOK"


def notebooks() -> dict[str, Path]:
    """Every built notebook: its name in a report ("fr-solution-01_workers") and its path."""
    kinds = {f"{language}-student": ROOT / folder for language, folder in STUDENT_FOLDERS.items()}
    kinds |= {f"{language}-solution": ROOT / "solutions" / language for language in STUDENT_FOLDERS}
    found = ((kind, path) for kind, folder in kinds.items() for path in sorted(folder.glob("*.ipynb")))
    return {f"{kind}-{path.stem}": path for kind, path in found}


def is_in_turn(name: str, path: Path) -> bool:
    """Whether this is the lesson's language: three lessons in a row have three languages."""
    languages = list(STUDENT_FOLDERS)
    return name.startswith(languages[int(path.stem.split("_")[0]) % len(languages)])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture, kind in NOTEBOOK_FIXTURES.items():
        if fixture in metafunc.fixturenames:
            found = {name: path for name, path in notebooks().items() if kind in name}
            if fixture == "student_notebook" and not os.environ.get(EVERY):
                found = {name: path for name, path in found.items() if is_in_turn(name, path)}
            # By module, so that the browser opens and runs each notebook once for all its tests.
            metafunc.parametrize(fixture, found.values(), ids=found.keys(), scope="module")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def settings() -> dict[str, Any]:
    """What pyproject.toml says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def missing() -> Callable[[str], None]:
    """Call it with a reason where this machine lacks something: skips, but fails on CI."""

    def report(reason: str) -> None:
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(reason)
        pytest.skip(reason)

    return report


@pytest.fixture(scope="session")
def gettext(missing: Callable[[str], None]) -> None:
    """For the tests that build or check lessons; learners do neither."""
    if not (shutil.which("msgmerge") and shutil.which("xgettext")):
        missing("GNU gettext is not installed.")


@pytest.fixture
def english() -> None:
    """Messages in English, whatever an earlier test set."""
    language.use("en")

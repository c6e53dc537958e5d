"""What several tests share: where things are, and what to do where a tool is missing."""

from __future__ import annotations

import os
import shutil
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loaderlab.i18n import language
from places import EVERY, ROOT, is_in_turn, notebooks

# Where the tests are started in the background, interrupts are ignored, and what is tested with them cannot happen.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test that takes one of these runs for every notebook whose name in a report has these words; for the slow ones, in
# one language of each lesson, and with EVERY set in all.
NOTEBOOK_FIXTURES = {"notebook": "", "student_notebook": "-student-", "solution": "-solution-"}
SLOW = {"student_notebook", "solution"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture, kind in NOTEBOOK_FIXTURES.items():
        if fixture in metafunc.fixturenames:
            found = {name: path for name, path in notebooks().items() if kind in name}
            if fixture in SLOW and not os.environ.get(EVERY):
                found = {name: path for name, path in found.items() if is_in_turn(path)}
                if metafunc.definition.get_closest_marker("one_a_language"):
                    folders = {path.parent: name for name, path in reversed(found.items())}
                    found = {name: found[name] for name in folders.values()}
            # By module, so that the browser opens and runs each notebook once for all its tests.
            metafunc.parametrize(fixture, found.values(), ids=found.keys(), scope="module")


def pytest_itemcollected(item: pytest.Item) -> None:
    """What is slow for each lesson is for `make long`."""
    if getattr(item, "callspec", None) and SLOW & item.callspec.params.keys():
        item.add_marker(pytest.mark.long)


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


@pytest.fixture(autouse=True)
def english() -> None:
    """Messages in English, whatever an earlier test set."""
    language.use("en")

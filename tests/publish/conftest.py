"""The tiny course, built once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from loaderlab.publish import execution
from publish_course import Course, build, course_at, pretend


@pytest.fixture(scope="session")
def built(gettext: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("course")
    build(root)
    return root


@pytest.fixture
def course(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A copy of the course, translated and built; running is only pretended, and noted in ``ran``."""
    made = course_at(shutil.copytree(built, tmp_path / "course"))
    monkeypatch.setattr(execution, "run", pretend(made))
    return made

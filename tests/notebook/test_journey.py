"""The map of the course: plain where nothing is remembered, and else with what is done."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from loaderlab import course
from loaderlab.measuring import machine, temporary
from loaderlab.notebook import progress, session
from loaderlab.notebook.diagrams import diagram
from loaderlab.notebook.journey import reached
from loaderlab.words.language import LANGUAGES, use

MAP = "start_here_map"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    for module, name in ((machine, "allow_open_files"), (temporary, "shorten"), (temporary, "sweep")):
        monkeypatch.setattr(module, name, lambda: None)
    monkeypatch.chdir(tmp_path)
    session.begin("start_here", "en")
    yield tmp_path
    use("en")


def remember(folder: Path, **lessons: object) -> None:
    (folder / progress.FILE).write_text(json.dumps({"version": 1, "lessons": lessons}))


def test_where_nothing_is_remembered_the_map_is_plain(folder: Path) -> None:
    assert reached(diagram(MAP)) == diagram(MAP)
    (folder / progress.FILE).write_text(progress.EMPTY)
    assert reached(diagram(MAP)) == diagram(MAP)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_done_and_what_is_begun_stands_on_the_map_and_in_its_text(
    folder: Path, language: str
) -> None:
    session.begin("start_here", language)
    exercises = course.lesson("workers").exercises()
    most = sum(exercise.points for exercise in exercises.values())
    remember(
        folder,
        workers={"points": {name: exercise.points for name, exercise in exercises.items()}},
        start_here={"points": {"headroom": 1, "gone": 99}, "guesses": {}},
        warps={"guesses": {"idle": 1}},
    )
    of = {
        name: sum(e.points for e in course.lesson(name).exercises().values())
        for name in ("start_here", "warps")
    }
    shown = reached(diagram(MAP))
    ElementTree.fromstring(shown.svg)
    badges = re.findall(r">(✓ )?(\d+)/(\d+)</text>", shown.svg)
    assert badges == [
        ("", "1", str(of["start_here"])),
        ("✓ ", str(most), str(most)),
        ("", "0", str(of["warps"])),
    ]
    added = shown.text.removeprefix(diagram(MAP).text)
    assert f"1 ({most}/{most})." in added
    assert f"0 (1/{of['start_here']}), 3 (0/{of['warps']})." in added


def test_each_lesson_has_a_place_for_its_badge(folder: Path) -> None:
    every = [lesson.name for lesson in course.lessons()]
    remember(folder, **{name: {"hints": {"x": 1}} for name in every})
    badges = re.findall(r'<rect x="([\d.]+)" y="(\d+)" width="\d+" height="20"', reached(diagram(MAP)).svg)
    assert len(set(badges)) == len(every)

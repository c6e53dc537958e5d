"""The map of the course: plain where nothing is remembered, and else with what is done."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from loaderlab import course
from loaderlab.drawing import Picture
from loaderlab.i18n.language import LANGUAGES, use
from loaderlab.measuring import machine, temporary
from loaderlab.notebook import progress, session
from loaderlab.notebook.diagrams import FOLDER, diagram
from loaderlab.notebook.progress_map import places, reached

MAP = "start_here_map"
SVG = "{http://www.w3.org/2000/svg}"


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


def badge(shown: Picture, number: int) -> bytes:
    """The pixels around the corner of that lesson's box."""
    image = Image.open(io.BytesIO(shown.png)).convert("RGB")
    scale, (right, top) = image.width / 800, places()[number]
    return image.crop(tuple(round(v * scale) for v in (right - 60, top - 10, right, top + 10))).tobytes()


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
        start_here={"points": {"wait_and_compute": 1, "gone": 99}, "guesses": {}},
        warps={"guesses": {"idle": 1}},
    )
    of = {
        name: sum(e.points for e in course.lesson(name).exercises().values())
        for name in ("start_here", "warps")
    }
    shown = reached(diagram(MAP))
    changed = {number for number in places() if badge(shown, number) != badge(diagram(MAP), number)}
    assert changed == {course.lesson(name).number for name in ("start_here", "workers", "warps")}
    added = shown.text.removeprefix(diagram(MAP).text)
    assert f"1 ({most}/{most})." in added
    assert f"0 (1/{of['start_here']}), 3 (0/{of['warps']})." in added


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_box_of_each_lesson_is_where_its_badge_goes(folder: Path, language: str) -> None:
    place = FOLDER if language == "en" else FOLDER / language
    drawn = ElementTree.parse(place / f"{MAP}.svg").getroot()
    for lesson in course.lessons():
        box = drawn.find(f"{SVG}g[@id='lesson-{lesson.number}']/{SVG}rect")
        right, top = places()[lesson.number]
        assert (int(box.get("x")) + int(box.get("width")), int(box.get("y"))) == (right, top)
    assert set(places()) == {lesson.number for lesson in course.lessons()}

"""Every scene is drawn with nothing but the standard library: where there is no torch, such as in a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from loaderlab import course
from loaderlab.i18n import language
from places import ROOT

BLOCKED = ("torch", "numpy", "PIL", "psutil", "ipywidgets", "polib", "matplotlib", "IPython")
ROOMS = ("drawing", "model", "course", "i18n")
PARTS = ("__init__", "names", "scene", "questions", "predictions", "verdicts", "case")
# What needs more, and what for.
MORE = {
    "loaderlab.drawing.png": "draws with Pillow, where a PNG is asked for",
    "loaderlab.model.rehearsal": "runs a DataLoader",
}

# Without site, no package that is installed is found.
CHILD = """
import importlib, importlib.util, json, sys
asked = json.load(sys.stdin)
sys.path.insert(0, asked["root"])
found = [name for name in asked["blocked"] if importlib.util.find_spec(name)]
lacking = {}
for name in asked["modules"]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        lacking[name] = error.name
from loaderlab import course
from loaderlab.i18n import language
language.messages = lambda code, *folders, prose: asked["messages"][code][folders[-1].name]
drawn = {}
for lesson in course.lessons():
    for scene in lesson.scenes().values():
        settings = [{}, scene.tallest]
        for p in scene.parameters:
            ends = p.choices or ((False, True) if isinstance(p.default, bool) else (p.low, p.high))
            settings += [{p.name: end} for end in ends]
        for code in language.LANGUAGES:
            language.use(code, lesson.folder)
            pictures = [scene.draw(**scene.defaults | setting) for setting in settings]
            drawn[f"{lesson.name} {scene.name} {code}"] = [[picture.svg, picture.text] for picture in pictures]
foreign = sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names - {"loaderlab", "__main__", "__mp_main__"})
print(json.dumps({"found": found, "lacking": lacking, "drawn": drawn, "foreign": foreign}))
"""


def modules() -> list[str]:
    """What has to do with the standard library: the rooms, and of the lessons what a page without torch needs."""
    paths = [path for room in ROOMS for path in (ROOT / "loaderlab" / room).glob("*.py")]
    paths += [path for part in PARTS for path in (ROOT / "loaderlab" / "lessons").glob(f"*/{part}.py")]
    return sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths)


@pytest.fixture(scope="module")
def child() -> dict[str, Any]:
    messages = {
        code: {
            lesson.name: language.messages(code, language.LOCALE, lesson.folder, prose=False)
            for lesson in course.lessons()
        }
        for code in language.LANGUAGES
    }
    asked = {"root": str(ROOT), "blocked": BLOCKED, "modules": modules(), "messages": messages}
    command = [sys.executable, "-I", "-S", "-c", CHILD]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["found"] == []
    return answer


def test_rooms_and_scenes_import_nothing_but_the_standard_library(child: dict[str, Any]) -> None:
    assert child["lacking"].keys() == MORE.keys(), child["lacking"]
    assert child["foreign"] == []


def test_every_scene_is_drawn_there_as_it_is_here_in_every_language(child: dict[str, Any]) -> None:
    """At its defaults and with each control at its extremes."""
    scenes = [(lesson, scene) for lesson in course.lessons() for scene in lesson.scenes().values()]
    assert len(child["drawn"]) == len(scenes) * len(language.LANGUAGES)
    for lesson, scene in scenes:
        said = set()
        for code in language.LANGUAGES:
            pictures = child["drawn"][f"{lesson.name} {scene.name} {code}"]
            assert len(pictures) > 2 * len(scene.parameters)
            with language.speaking(code, lesson.folder):
                here = scene.draw(**scene.defaults)
            assert pictures[0] == [here.svg, here.text]
            said.add(here.text)
        assert len(said) == len(language.LANGUAGES)

"""Every scene is drawn with nothing but the standard library: where there is no torch, such as in a browser."""

from __future__ import annotations

import json
import subprocess
import sys

from loaderlab import course
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
drawn = 0
for lesson in course.lessons():
    for scene in lesson.scenes().values():
        settings = [{}, scene.tallest]
        for p in scene.parameters:
            ends = p.choices or ((False, True) if isinstance(p.default, bool) else (p.low, p.high))
            settings += [{p.name: end} for end in ends]
        drawn += sum(bool(scene.draw(**scene.defaults | setting).svg) for setting in settings)
foreign = sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names - {"loaderlab", "__main__", "__mp_main__"})
print(json.dumps({"found": found, "lacking": lacking, "drawn": drawn, "foreign": foreign}))
"""


def modules() -> list[str]:
    """What has to do with the standard library: the rooms, and of the lessons what a page without torch needs."""
    paths = [path for room in ROOMS for path in (ROOT / "loaderlab" / room).glob("*.py")]
    paths += [path for part in PARTS for path in (ROOT / "loaderlab" / "lessons").glob(f"*/{part}.py")]
    return sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths)


def test_rooms_and_scenes_import_nothing_but_the_standard_library() -> None:
    """Nor does any scene where it is drawn, each control at its extremes; how it looks then, test_service.py says."""
    asked = {"root": str(ROOT), "blocked": BLOCKED, "modules": modules()}
    command = [sys.executable, "-I", "-S", "-c", CHILD]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    child = json.loads(done.stdout)
    assert child["found"] == child["foreign"] == []
    assert child["lacking"].keys() == MORE.keys(), child["lacking"]
    scenes = [scene for lesson in course.lessons() for scene in lesson.scenes().values()]
    assert child["drawn"] > 2 * sum(len(scene.parameters) for scene in scenes)

"""The scene of every explorer: each extreme of its controls is drawn, with little work, and each control matters."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from loaderlab import course
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n import language

SCENES = {
    f"{lesson.name}-{name}": scene for lesson in course.lessons() for name, scene in lesson.scenes().items()
}
FOLDERS = {scene.name: lesson.folder for lesson in course.lessons() for scene in lesson.scenes().values()}
# So that a hand on a slider feels no delay: operations of a drawing, characters of its SVG, and calls of functions from the
# values to the SVG. Counted, since a clock would measure the machine; a hundred thousand calls take about 10 ms.
OPERATIONS, CHARACTERS, CALLS = 2000, 200_000, 400_000
MOST = 130  # combinations of one scene


def extremes(parameter: Parameter) -> list[Any]:
    if parameter.choices:
        return [parameter.choices[0], parameter.choices[-1]]
    if isinstance(parameter.default, bool):
        return [False, True]
    return [parameter.low, parameter.high]


def others(parameter: Parameter) -> list[Any]:
    """Values beside the default one."""
    if parameter.choices or isinstance(parameter.default, bool):
        values = list(parameter.choices or extremes(parameter))
    else:
        step = parameter.step or 1
        values = [parameter.low, parameter.default - step, parameter.default + step, parameter.high]
        values = [value for value in values if parameter.low <= value <= parameter.high]
    return [value for value in values if value != parameter.default]


@pytest.fixture(params=SCENES.values(), ids=SCENES.keys())
def scene(request: pytest.FixtureRequest) -> Scene:
    found: Scene = request.param
    return found


def called(work: Callable[[], Any]) -> int:
    """How many calls of functions it takes, of Python's own too."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_every_extreme_of_the_controls_is_drawn_with_little_work(scene: Scene) -> None:
    names = [parameter.name for parameter in scene.parameters]
    combinations = list(itertools.product(*map(extremes, scene.parameters)))
    room = scene.draw(**scene.defaults | scene.tallest).height
    for values in combinations[:: -(-len(combinations) // MOST)]:
        setting = dict(zip(names, values, strict=True))
        picture = scene.draw(**setting)
        assert picture.svg and picture.text
        assert picture.height <= room  # or the frame would jump
        assert len(picture.canvas.operations) <= OPERATIONS, setting
        assert len(picture.svg) <= CHARACTERS, setting
        assert called(lambda setting=setting: scene.draw(**setting).svg) <= CALLS, setting


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_the_room_that_an_explorer_has_is_never_too_small(scene: Scene, code: str) -> None:
    """Between the extremes and in each language, whose legends may need another line."""
    rng = random.Random(0)
    try:
        language.use(code, FOLDERS[scene.name])
        room = scene.draw(**scene.defaults | scene.tallest).height
        for _number in range(25):
            assert scene.draw(**{p.name: somewhere(p, rng) for p in scene.parameters}).height <= room
    finally:
        language.use("en")


def somewhere(parameter: Parameter, rng: random.Random) -> Any:
    if parameter.choices or isinstance(parameter.default, bool):
        return rng.choice(parameter.choices or (False, True))
    number = parameter.on_step(rng.uniform(parameter.low, parameter.high))
    return rng.choice([number, parameter.low, parameter.high])


def test_every_control_changes_picture_and_sentence(scene: Scene) -> None:
    """From the defaults, or with one other control at an extreme: the cores only matter to several workers."""
    start = {parameter.name: parameter.default for parameter in scene.parameters}
    bases = [start, *(start | {p.name: value} for p in scene.parameters for value in extremes(p))]
    for parameter in scene.parameters:
        changed = set()
        for base in bases:
            before = scene.draw(**base)
            for value in others(parameter):
                after = scene.draw(**base | {parameter.name: value})
                changed |= {"picture"} if after.canvas != before.canvas else set()
                changed |= {"sentence"} if after.text != before.text else set()
            if len(changed) == 2:
                break
        assert changed == {"picture", "sentence"}, parameter.name

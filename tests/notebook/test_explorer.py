"""Explorers: driven without a browser, quick, in three languages; each output is its own, and no error is lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.lessons.workers.scene import SCENES
from loaderlab.measuring.machine import usable_cores
from loaderlab.notebook.explorer import Explorer
from loaderlab.notebook.panel import Panel
from loaderlab.notebook.view import VIEW

TIMELINE = SCENES[0]
LANGUAGES = list(language.LANGUAGES)
LABEL_WIDTH = 32  # characters


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    language.use("en")
    yield
    language.use("en")


def echo(**values: Any) -> Picture:
    return Picture(Canvas(800, 40 + values["whole"]), f"shows {values}")


def measured(**values: Any) -> Picture:
    return Picture(Canvas(800, 60), f"measured {values}")


PARAMETERS = (
    Parameter("whole", "Whole", 2, 0, 9),
    Parameter("real", "Real", 0.5, 0.0, 1.0, 0.1),
    Parameter("flag", "Flag", True),
    Parameter("method", "Method", "fork", choices=("fork", "spawn")),
    Parameter("coarse", "Coarse", 100, 0, 1000, 25),
)
FIRST = {p.name: p.default for p in PARAMETERS}
SCENE = Scene("echo", PARAMETERS, echo, measured)


def shown(scene: Scene = SCENE, **values: Any) -> Panel:
    explorer = Explorer(scene).set(**values)
    return Panel(scene, explorer.values, explorer.picture)


def button(panel: Panel, css: str) -> Any:
    return next(button for button in panel.buttons if css in button._dom_classes)


# --- by code --------------------------------------------------------------------------------------


def test_setting_a_control_changes_picture_and_sentence() -> None:
    explorer = Explorer(SCENE)
    before = explorer.picture
    explorer.set(whole=7, flag=False)
    assert explorer.picture != before
    assert explorer.values == FIRST | {"whole": 7, "flag": False}
    assert "'whole': 7" in explorer.sentence
    assert explorer.reset().picture == before


def test_several_controls_at_once_draw_once() -> None:
    draws: list[dict[str, Any]] = []

    def draw(**values: Any) -> Picture:
        draws.append(values)
        return echo(**values)

    explorer = Explorer(Scene("counted", PARAMETERS, draw))
    draws.clear()
    explorer.set(whole=1, real=0.1, flag=False)
    assert len(draws) == 1


def test_each_output_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cell sets, the one above does not show; what is moved above, no cell finds."""
    panels: list[Panel] = []
    made = Panel.__init__

    def init(panel: Panel, *arguments: Any) -> None:
        made(panel, *arguments)
        panels.append(panel)

    monkeypatch.setattr(Panel, "__init__", init)
    explorer = Explorer(SCENE)
    first, _metadata = explorer._repr_mimebundle_()
    second, _metadata = explorer.set(whole=7)._repr_mimebundle_()
    above, below = panels
    assert first[VIEW]["model_id"] == above.box.model_id != below.box.model_id == second[VIEW]["model_id"]
    assert [panel.values["whole"] for panel in panels] == [2, 7]
    above.controls["whole"].parts[0].value = 5
    assert explorer.values["whole"] == below.values["whole"] == 7
    button(below, "lab-reset").click()
    assert [panel.values["whole"] for panel in panels] == [5, 7]


def test_the_display_has_controls_a_snapshot_and_a_sentence() -> None:
    explorer = Explorer(SCENE)
    data, metadata = explorer._repr_mimebundle_()
    assert set(data) == {VIEW, "image/png", "text/plain"}
    assert data[VIEW]["version_major"] == 2
    assert data[VIEW]["model_id"]
    assert data["text/plain"] == metadata["image/png"]["alt"] == explorer.sentence


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"whole": 10}, "from 0 to 9"),
        ({"whole": 1.5}, "whole number"),
        ({"whole": True}, "whole number"),
        ({"whole": "many"}, "whole number"),
        ({"real": -0.1}, "from 0 to 1"),
        ({"real": None}, "from 0 to 1"),
        ({"flag": 1}, "True or False"),
        ({"method": "thread"}, "fork, spawn"),
        ({"workers": 3}, "whole, real, flag, method"),
    ],
)
def test_a_value_that_cannot_be_is_refused_and_nothing_moves(values: dict[str, Any], expected: str) -> None:
    explorer = Explorer(SCENE)
    before = dict(explorer.values)
    with pytest.raises(LabError, match=expected) as error:
        explorer.set(**{"real": 0.2, **values})
    assert next(iter(values)) in str(error.value)
    assert explorer.values == before


def test_the_limits_are_said_as_they_are() -> None:
    assert Parameter("size", "Size", 10.0, 0.1, 50.0, 0.1).expected == "a number from 0.1 to 50"


def test_an_error_in_a_cell_is_raised() -> None:
    with pytest.raises(ValueError, match="no room"):
        Explorer(broken(ValueError("no room"))).measure()
    with pytest.raises(LabError, match="nothing to measure"):
        Explorer(Scene("s", PARAMETERS, echo)).measure()


# --- by hand --------------------------------------------------------------------------------------


def test_the_browser_can_find_the_parts() -> None:
    panel = shown()
    parts = (panel.box, panel.image, panel.words, *panel.buttons)
    assert [part._dom_classes[-1] for part in parts] == [
        "lab-explorer",
        "lab-picture",
        "lab-sentence",
        "lab-measure",
        "lab-reset",
    ]
    assert panel.buttons[0].button_style == "primary"


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [("whole", 0, 3), ("whole", 1, 3.0), ("real", 0, 0.9), ("flag", 0, False), ("method", 0, "spawn")],
)
def test_moving_a_control_does_what_set_does(name: str, part: int, value: Any) -> None:
    panel = shown()
    panel.controls[name].parts[part].value = value
    assert panel.picture == Explorer(SCENE).set(**{name: int(value) if name == "whole" else value}).picture
    assert panel.image.value == panel.picture.svg.encode()
    assert panel.picture.text.replace("'", "&#x27;") in panel.words.value
    assert [shown_.value for shown_ in panel.controls[name].parts] == [value] * len(
        panel.controls[name].parts
    )


@pytest.mark.parametrize(
    ("name", "typed", "becomes", "words"),
    [
        (
            "whole",
            12.0,
            9,
            "Whole: set to 9, the nearest that is possible. Expected: a whole number from 0 to 9.",
        ),
        ("whole", -1e300, 0, "Whole: set to 0"),
        ("whole", 3.7, 4, "Expected: a whole number"),
        ("real", 1.5, 1, "Real: set to 1"),
    ],
)
def test_what_cannot_be_typed_becomes_the_nearest_with_words(
    name: str, typed: float, becomes: float, words: str
) -> None:
    panel = shown()
    slider, box = panel.controls[name].parts
    box.value = typed
    assert panel.values[name] == slider.value == box.value == becomes
    assert words in panel.words.value and "lab-error" in panel.words.value and "shows" in panel.words.value
    box.value = typed  # once more, from there
    assert box.value == becomes and words in panel.words.value
    slider.value = 0.5 if name == "real" else 5
    assert "lab-error" not in panel.words.value


@pytest.mark.parametrize(
    ("name", "typed", "step", "next_step"), [("coarse", 110, 100, 125), ("real", 0.123, 0.1, 0.2)]
)
def test_a_value_between_the_steps_counts_until_the_slider_is_moved(
    name: str, typed: float, step: float, next_step: float
) -> None:
    panel = shown()
    slider, box = panel.controls[name].parts
    box.value = typed
    slider.value = step + 1e-13  # as browsers answer: where the slider stands
    assert panel.values[name] == box.value == typed
    slider.value = next_step + 1e-13
    assert panel.values[name] == box.value == next_step


def test_reset_goes_back_to_what_the_cell_showed() -> None:
    panel = shown(whole=3)
    first = panel.picture
    panel.controls["whole"].parts[0].value = 9
    panel.controls["real"].parts[1].value = 0.0
    button(panel, "lab-reset").click()
    assert panel.picture == first and panel.controls["whole"].value == 3


def test_the_frame_keeps_the_height_of_the_tallest_picture_so_far() -> None:
    panel = shown()
    slider = panel.controls["whole"].parts[0]
    assert "5.25%" in panel.room.value  # 42 of 800
    slider.value = 8
    assert "6.00%" in panel.room.value
    slider.value = 2
    assert "6.00%" in panel.room.value
    button(panel, "lab-measure").click()
    button(panel, "lab-reset").click()
    assert "7.50%" in panel.room.value


def test_the_frame_has_room_for_the_tallest_picture_from_the_beginning() -> None:
    panel = shown(Scene("echo", PARAMETERS, echo, tallest={"whole": 9}), whole=4)
    first = panel.room.value
    assert "6.12%" in first  # 49 of 800
    for value in (0, 9):
        panel.controls["whole"].parts[0].value = value
        assert panel.room.value == first


def broken(error: BaseException) -> Scene:
    def draw(**values: Any) -> Picture:
        if values["whole"] == 5:
            raise error
        return echo(**values)

    def measure(**_values: Any) -> Picture:
        raise error

    return Scene("broken", PARAMETERS, draw, measure)


@pytest.mark.parametrize("error", [ValueError("<no> room"), LabError("say it"), KeyboardInterrupt()])
def test_an_error_in_a_callback_is_shown(error: BaseException) -> None:
    panel = shown(broken(error))
    for act in (
        lambda: setattr(panel.controls["whole"].parts[0], "value", 5),
        button(panel, "lab-measure").click,
    ):
        panel.words.value = ""
        act()
        assert "lab-error" in panel.words.value
        assert str(error).replace("<no>", "&lt;no&gt;") in panel.words.value
        assert "lab-busy" not in panel.box._dom_classes


def test_what_a_scene_raises_is_told_to_whoever_wrote_it_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    panel = shown(broken(ValueError("no room")))
    panel.controls["whole"].parts[0].value = 5
    (record,) = caplog.records
    assert "'whole': 5" in record.getMessage()
    assert record.exc_info and record.exc_info[1] is not None and record.exc_info[2].tb_next is not None


def test_measuring_shows_that_it_does_and_then_what_it_found() -> None:
    seen: list[tuple[str, tuple[str, ...]]] = []

    def measure(**_values: Any) -> Picture:
        seen.append((panel.words.value, panel.box._dom_classes))
        return Picture(Canvas(800, 60), "what was found")

    panel = shown(Scene("m", PARAMETERS, echo, measure))
    button(panel, "lab-measure").click()
    words, classes = seen[0]
    assert "Measuring" in words and "lab-running" in words
    assert "lab-busy" in classes and "lab-busy" not in panel.box._dom_classes
    assert "what was found" in panel.words.value
    assert panel.image.value == panel.picture.svg.encode()
    assert (panel.picture.height, panel.image.format) == (60, "svg+xml")


def test_measuring_says_for_how_long_where_that_is_known() -> None:
    said: list[str] = []

    def measure(**_values: Any) -> Picture:
        said.append(panel.words.value)
        return Picture(Canvas(800, 60), "what was found")

    for seconds in (None, lambda **values: 3.4 * values["whole"]):
        panel = shown(Scene("m", PARAMETERS, echo, measure, seconds))
        button(panel, "lab-measure").click()
    assert "for some seconds" in said[0] and "lab-known" not in said[0]
    assert "for about 7 s" in said[1] and "--lab-takes:7s" in said[1]


def test_a_scene_without_measurement_has_no_button_for_it() -> None:
    assert len(shown(Scene("s", PARAMETERS, echo)).buttons) == 1


# --- the scene of the lesson ----------------------------------------------------------------------


def sentence(**values: Any) -> str:
    return Explorer(TIMELINE).set(**values).sentence


def test_the_sentence_says_how_many_workers_are_enough() -> None:
    few = {"load_ms": 40, "step_ms": 11, "spread": 0.0, "cores": 8, "prefetch_factor": 4}
    assert "waits 73% of the time" in sentence(num_workers=1, **few)
    assert "Enough workers: 4." in sentence(num_workers=1, **few)
    assert "waits 2% of the time" in sentence(num_workers=4, **few)


def test_the_sentence_says_when_the_cores_are_the_limit() -> None:
    words = sentence(num_workers=2, load_ms=40, step_ms=5, cores=2, spread=0.0)
    assert "The cores are the limit" in words
    assert "num_workers = 2" in words


def test_the_sentence_says_what_starting_costs() -> None:
    every = sentence(num_workers=2, start_ms=2000, cores=4)
    once = sentence(num_workers=2, start_ms=2000, cores=4, persistent_workers=True)
    assert "each epoch" in every
    assert "in later epochs" in once


def test_without_a_step_the_sentence_speaks_of_the_pace() -> None:
    assert "batches/s" in sentence(step_ms=0)


@pytest.mark.parametrize("code", LANGUAGES)
def test_labels_fit_and_sentences_have_no_hole(code: str) -> None:
    language.use(code)
    assert all(len(p.description) <= LABEL_WIDTH for p in TIMELINE.parameters)
    for values in ({}, {"num_workers": 0}, {"step_ms": 0}, {"load_ms": 90}, {"persistent_workers": True}):
        assert "{" not in sentence(**values)


def test_measuring_draws_both_and_says_both() -> None:
    explorer = Explorer(TIMELINE).set(num_workers=1, load_ms=2, step_ms=1, cores=16)
    predicted = explorer.picture
    measured = explorer.measure()
    assert measured.canvas != predicted.canvas
    assert len(measured.svg) < 60_000
    assert "predicted" in measured.text
    assert "measured" in measured.text
    assert ("fewer cores" in measured.text) == (usable_cores() < 16)


def test_a_move_of_a_slider_draws_once_sends_one_small_picture_and_needs_no_pillow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So the picture follows at once: what drawing takes is counted in tests/drawing/test_scenes.py."""
    drawn: list[Picture] = []
    sent: list[bytes] = []
    monkeypatch.setattr(Canvas, "png", lambda _canvas: pytest.fail("A PNG takes ten times as long."))

    def draw(**values: Any) -> Picture:
        drawn.append(TIMELINE.draw(**values))
        return drawn[-1]

    panel = shown(Scene("timeline", TIMELINE.parameters, draw))
    panel.image.observe(lambda change: sent.append(change["new"]), names="value")
    rng = random.Random(0)
    for _move in range(50):
        p = rng.choice(TIMELINE.parameters)
        if isinstance(p.default, bool):
            value: Any = not panel.values[p.name]
        else:
            value = rng.randint(int(p.low), int(p.high)) if p.whole else rng.uniform(p.low, p.high)
        if value == panel.values[p.name]:
            continue
        drawn.clear()
        sent.clear()
        panel.controls[p.name].parts[-1].value = value
        assert len(drawn) == 1
        assert sent in ([], [drawn[0].svg.encode()])  # nothing where the picture stays as it was
        assert panel.image.value == drawn[0].svg.encode()
        assert len(panel.image.value) < 80_000

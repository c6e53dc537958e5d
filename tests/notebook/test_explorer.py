"""Explorers: driven without a browser, quick, in three languages; each output is its own, and no error is lost."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from loaderlab.course.panel import Panel
from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.lessons.workers.scene import SCENES
from loaderlab.measuring.machine import usable_cores
from loaderlab.notebook import front
from loaderlab.notebook.explorer import Explorer
from loaderlab.notebook.widget import VIEW, carry

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
    return Explorer(scene).set(**values).panel()


def move(panel: Panel, name: str, value: Any, slider: bool = False) -> dict[str, Any]:
    """What a learner does in the browser: a slider, a number box, a checkbox or a list is set."""
    return panel.receive({"event": "move", "name": name, "value": value, "slider": slider})


def press(panel: Panel, event: str) -> dict[str, Any]:
    return panel.receive({"event": event})


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
    assert first[VIEW]["model_id"] != second[VIEW]["model_id"]
    assert [panel.values["whole"] for panel in panels] == [2, 7]
    move(above, "whole", 5)
    assert explorer.values["whole"] == below.values["whole"] == 7
    press(below, "reset")
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


def test_moving_a_control_does_what_set_does() -> None:
    for name, sent, value in (
        ("whole", 3, 3),
        ("whole", 3.0, 3),
        ("real", 0.9, 0.9),
        ("flag", False, False),
        ("method", 1, "spawn"),
    ):
        panel = shown()
        changed = move(panel, name, sent)
        picture = Explorer(SCENE).set(**{name: value}).picture
        assert panel.picture == picture and panel.values[name] == value
        assert changed["picture"] == picture.svg or panel.state["picture"] == picture.svg
        assert picture.text.replace("'", "&#x27;") in changed["sentence"] and changed["alt"] == picture.text
        assert changed["values"][name] == (1 if name == "method" else value)


@pytest.mark.parametrize(
    ("name", "typed", "becomes", "words"),
    [
        (
            "whole",
            12.0,
            9,
            "Whole was set to 9, the nearest possible value. Expected: a whole number from 0 to 9.",
        ),
        ("whole", -1e300, 0, "Whole was set to 0"),
        ("whole", 3.7, 4, "Expected: a whole number"),
        ("real", 1.5, 1, "Real was set to 1"),
    ],
)
def test_what_cannot_be_typed_becomes_the_nearest_with_words(
    name: str, typed: float, becomes: float, words: str
) -> None:
    panel = shown()
    for _time in range(2):  # once more, from there
        move(panel, name, typed)
        state = panel.state
        assert panel.values[name] == state["values"][name] == becomes
        assert (
            words in state["sentence"] and "lab-error" in state["sentence"] and "shows" in state["sentence"]
        )
    move(panel, name, 0.5 if name == "real" else 5, slider=True)
    assert "lab-error" not in panel.state["sentence"]


@pytest.mark.parametrize(("name", "typed", "next_step"), [("coarse", 110, 125), ("real", 0.123, 0.2)])
def test_a_value_between_the_steps_counts_until_the_slider_is_moved(
    name: str, typed: float, next_step: float
) -> None:
    panel = shown()
    move(panel, name, typed)
    assert panel.values[name] == typed
    move(panel, name, next_step + 1e-13, slider=True)  # as browsers answer
    assert panel.values[name] == next_step


def test_reset_goes_back_to_what_the_cell_showed() -> None:
    panel = shown(whole=3)
    first = panel.picture
    move(panel, "whole", 9)
    move(panel, "real", 0.0)
    changed = press(panel, "reset")
    assert panel.picture == first and changed["values"]["whole"] == 3


def test_the_picture_keeps_the_room_of_the_tallest_so_far() -> None:
    panel = shown()
    assert panel.state["room"] == 42 / 800
    assert move(panel, "whole", 8)["room"] == 48 / 800
    assert "room" not in move(panel, "whole", 2)
    press(panel, "measure")
    press(panel, "reset")
    assert panel.state["room"] == 60 / 800


def test_there_is_room_for_the_tallest_picture_from_the_beginning() -> None:
    panel = shown(Scene("echo", PARAMETERS, echo, tallest={"whole": 9}), whole=4)
    assert panel.state["room"] == 49 / 800
    for value in (0, 9):
        assert "room" not in move(panel, "whole", value)


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
    for act in (lambda panel: move(panel, "whole", 5), lambda panel: press(panel, "measure")):
        panel = shown(broken(error))
        act(panel)
        state = panel.state
        assert "lab-error" in state["sentence"]
        assert str(error).replace("<no>", "&lt;no&gt;") in state["sentence"]
        assert not state["busy"]
        move(panel, "whole", 4)
        assert "lab-error" not in panel.state["sentence"] and "shows" in panel.state["sentence"]


def test_what_a_scene_raises_is_told_to_whoever_wrote_it_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    panel = shown(broken(ValueError("no room")))
    move(panel, "whole", 5)
    (record,) = caplog.records
    assert "'whole': 5" in record.getMessage()
    assert record.exc_info and record.exc_info[1] is not None and record.exc_info[2].tb_next is not None


def test_measuring_shows_that_it_does_and_then_what_it_found() -> None:
    told: list[dict[str, Any]] = []

    def measure(**_values: Any) -> Picture:
        assert (
            told[-1]["busy"] and "Measuring" in told[-1]["sentence"] and "lab-running" in told[-1]["sentence"]
        )
        return Picture(Canvas(800, 60), "what was found")

    panel = shown(Scene("m", PARAMETERS, echo, measure))
    panel.tell = told.append
    changed = press(panel, "measure")
    assert "what was found" in changed["sentence"] and changed["alt"] == "what was found"
    assert changed["picture"] == panel.picture.svg and panel.picture.height == 60
    assert told[-1]["busy"] is False and "what was found" in told[-1]["sentence"] and not panel.state["busy"]


def test_measuring_says_for_how_long_where_that_is_known() -> None:
    said: list[str] = []
    for seconds in (None, lambda **values: 3.4 * values["whole"]):
        panel = shown(Scene("m", PARAMETERS, echo, measured, seconds))
        panel.tell = lambda traits: said.append(traits.get("sentence", ""))
        press(panel, "measure")
    assert "for some seconds" in said[0] and "lab-known" not in said[0]
    assert "for about 7 s" in said[2] and "--lab-takes:7s" in said[2]


def test_a_scene_without_measurement_has_no_button_for_it() -> None:
    assert [button["event"] for button in shown().state["buttons"]] == ["measure", "reset"]
    assert [button["event"] for button in shown(Scene("s", PARAMETERS, echo)).state["buttons"]] == ["reset"]


def test_one_knob_is_in_sight_and_all_are_there() -> None:
    state = shown().state
    assert state["shown"] == ["whole"]
    assert [control["name"] for control in state["controls"]] == list(FIRST)
    assert [control["kind"] for control in state["controls"]] == [
        "slider",
        "slider",
        "flag",
        "list",
        "slider",
    ]
    assert json.loads(json.dumps(state)) == state


def test_a_widget_carries_messages_to_the_panel_and_what_changed_back() -> None:
    panel = shown()
    widget = carry(panel, front.EXPLORER)
    sent: list[str] = []
    widget.observe(lambda change: sent.append(change["name"]))
    widget._handle_custom_msg({"event": "move", "name": "whole", "value": 7, "turn": 1}, [])
    assert widget.values["whole"] == 7 and widget.answered == 1 and "'whole': 7" in widget.alt
    assert {"picture", "values", "sentence", "answered"} <= set(sent) and not {"controls", "words"} & set(
        sent
    )
    assert "render" in widget._esm and ".lab-explorer" in widget._css


# --- the scene of the lesson ----------------------------------------------------------------------


def sentence(**values: Any) -> str:
    return Explorer(TIMELINE).set(**values).sentence


def test_the_sentence_says_how_many_workers_are_enough() -> None:
    few = {"load_ms": 40, "step_ms": 11, "spread": 0.0, "cores": 8, "prefetch_factor": 4, "batch_mib": 0}
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
    assert ("more cores than this machine has" in measured.text) == (usable_cores() < 16)


def test_a_move_of_a_slider_draws_once_sends_one_small_picture_and_needs_no_pillow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So the picture follows at once: what drawing takes is counted in tests/drawing/test_scenes.py."""
    drawn: list[Picture] = []
    monkeypatch.setattr(Canvas, "png", lambda _canvas: pytest.fail("A PNG takes ten times as long."))

    def draw(**values: Any) -> Picture:
        drawn.append(TIMELINE.draw(**values))
        return drawn[-1]

    panel = shown(Scene("timeline", TIMELINE.parameters, draw))
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
        before = panel.state["picture"]
        changed = move(panel, p.name, value)
        assert len(drawn) == 1
        assert (
            changed.get("picture", before) == drawn[0].svg
        )  # nothing is sent where the picture stays as it was

        assert len(drawn[0].svg.encode()) < 80_000

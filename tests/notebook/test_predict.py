"""Guesses: typed, chosen or given by code, shown beside what was measured, and remembered where the folder remembers."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loaderlab import course
from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction, digits, read
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, use
from loaderlab.measuring import machine, temporary
from loaderlab.notebook import comparison, field, progress, scorecard, session
from loaderlab.notebook.sketch import GUESSED, MEASURED

PREDICTIONS = (
    Prediction("time", "Time for a batch", "ms"),
    Prediction("curve", "Rate", "%", places=("none", "two")),
    Prediction("line", "Speed", "ms", places=("0", "2", "8")),
    Prediction("myth", "It is faster", choices=TRUE_OR_FALSE),
    Prediction("winner", "Who wins?", choices={"fork": "fork", "spawn": "spawn"}),
)


@pytest.fixture(autouse=True)
def lesson(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[course.Lesson]:
    """A lesson that asks for these, begun in a folder of its own; nothing else of this process is changed."""
    for module, name in ((machine, "allow_open_files"), (temporary, "shorten"), (temporary, "sweep")):
        monkeypatch.setattr(module, name, lambda: None)
    monkeypatch.setattr(course.Lesson, "predictions", lambda _self: {p.name: p for p in PREDICTIONS})
    monkeypatch.chdir(tmp_path)
    session.begin("start_here", "en")
    yield session.current().lesson
    use("en")


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("16", "en", 16), (" 16 ms", "en", 16), ("0.5", "en", 0.5), (".5", "pl", 0.5), ("1,000", "en", 1000), ("1e3", "en", 1000),
        ("0,5", "fr", 0.5), ("0,5", "pl", 0.5), ("1 000,5 ms", "fr", 1000.5), ("1\u202f000", "fr", 1000), ("−3", "pl", -3),
        ("12 345", "pl", 12345), ("1,5", "en", 1.5), ("50%", "en", 50), ("3 batches of 4", "en", 3),
    ],
)  # fmt: skip
def test_a_number_is_read_as_its_language_and_as_python_writes_it(
    text: str, language: str, number: float
) -> None:
    use(language)
    assert read(text) == number


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_shown_can_be_typed_again(language: str) -> None:
    use(language)
    for value in (0.0312, 0.5, 16, 192.4, 12345, 1234567, -3.25):
        assert read(digits(value)) == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize("text", ["", "many", "ten ms"])
def test_no_number_is_said_with_an_example(text: str) -> None:
    with pytest.raises(LabError, match=r"is no number. Type one, such as 16 or 0\.5\."):
        read(text)


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("time", "16"), ("time", True), ("time", float("nan")), ("time", [1, 2]), ("curve", 1), ("curve", [1]), ("curve", [1, "2"]),
        ("curve", "ab"), ("myth", 1), ("myth", "true"), ("winner", "forkserver"),
    ],
)  # fmt: skip
def test_what_is_no_guess_is_refused_and_the_guess_before_stays(name: str, guess: Any) -> None:
    good = {"time": 1, "curve": (1, 2), "myth": False, "winner": "fork"}[name]
    field.predict(name, good)
    with pytest.raises(LabError, match="Expected"):
        field.predict(name, guess)
    assert session.current().guesses == {name: good}


def test_a_lesson_says_which_guesses_it_asks_for() -> None:
    for call in (lambda: field.predict("speed"), lambda: comparison.compare("speed", 1)):
        with pytest.raises(LabError, match="It asks for: time, curve, line, myth, winner"):
            call()


@pytest.mark.parametrize(
    ("name", "guess", "measured", "said"),
    [
        ("time", None, 0.912345, "Time for a batch (ms)\n  measured: 0.912 ms"),
        ("time", 16, 1, "Time for a batch (ms)\n  your guess: 16 ms, measured: 1 ms\nToo high, by a factor of 16."),
        ("time", 1, 16, "Too low, by a factor of 16."),
        ("time", 1.2, 1, "You were near."),
        ("time", 1, 1.0, "As you guessed."),
        ("time", 0, 1, "Not as you guessed."),
        ("curve", [10, 20], [11, 19], "  none: your guess 10%, measured 11%\n  two: your guess 20%, measured 19%\nYou were near."),
        ("curve", [10, 20], [11, 90], "Not as you guessed."),
        ("line", [1, 2, 3], [1, 2, 9], "  8: your guess 3 ms, measured 9 ms\nNot as you guessed."),
        ("myth", True, False, "It is faster\n  your guess: true, measured: false\nNot as you guessed."),
        ("winner", "fork", "fork", "As you guessed."),
        ("winner", "fork", "out of time", "  your guess: fork, measured: out of time\nNot as you guessed."),
        ("time", 3, None, "  your guess: 3 ms\nNot measured here: the cell above says why."),
    ],
)  # fmt: skip
def test_guess_and_measurement_stand_beside_one_another(
    name: str, guess: Any, measured: Any, said: str
) -> None:
    if guess is not None:
        field.predict(name, guess)
    shown = comparison.compare(name, measured)
    assert repr(shown).endswith(said)
    found = shown._repr_html_()
    assert all(line.strip() in found for line in said.splitlines()[-1:] if guess is not None)
    marks = {"myth": 0, "winner": 0, "line": 1}.get(name, len(repr(shown).split("your guess")) - 1)
    assert found.count("#e69f00") == marks  # a bar for each number guessed, the mark of a line


def test_the_longer_bar_is_the_greater_number() -> None:
    field.predict("time", 5)
    assert [
        "width:60.0%" in part for part in comparison.compare("time", 10)._repr_html_().split("</div>")[:4]
    ].count(True) == 1
    assert "width:30.0%" in comparison.compare("time", 10)._repr_html_()


def test_what_a_model_says_is_not_called_measured() -> None:
    shown = comparison.Comparison(Prediction("time", "Time for a batch", "ms", computed=True), 2, 3)
    assert (
        repr(shown).splitlines()[1] == "  your guess: 2 ms, computed: 3 ms"
        and "measured" not in shown._repr_html_()
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_numbers_and_words(language: str) -> None:
    use(language)
    field.predict("time", 1.5)
    said = repr(comparison.compare("time", 30))
    assert ("1.5" in said) == (language == "en") and ("1,5" in said) == (language != "en")
    assert ("your guess" in said) == (language == "en")


def test_french_sets_a_space_before_a_colon_and_a_question_has_no_colon() -> None:
    use("fr")
    assert repr(field.predict("time")) == "Time for a batch (ms)\u00a0: …"
    assert repr(field.predict("winner")) == "Who wins? …"
    assert "\n  none\u00a0: mesuré 1\u00a0%" in repr(comparison.compare("curve", [1, 2]))


def fields(name: str) -> tuple[Any, list[Any], Any]:
    """The widgets of a prediction: the box, what the learner types or chooses, and what it answers."""
    import ipywidgets as widgets

    box = field.predict(name)._box()
    typed = [child for child in box.children if isinstance(child, (widgets.Text, widgets.RadioButtons))]
    return box, typed, box.children[-1]


def test_a_guess_is_typed() -> None:
    _box, (field,), said = fields("time")
    field.value = "16 ms"
    assert session.current().guesses == {"time": 16} and "✓ Your guess: 16 ms." in said.value
    field.value = "quick"
    assert session.current().guesses == {"time": 16} and "is no number" in said.value
    field.value = "8"
    assert session.current().guesses == {"time": 8}


def test_a_curve_is_a_guess_when_all_of_it_is_there() -> None:
    _box, (none, two), said = fields("curve")
    none.value = "10"
    assert session.current().guesses == {} and said.value == ""
    two.value = "20,5"
    assert session.current().guesses == {"curve": (10, 20.5)}


@pytest.mark.parametrize(
    ("places", "is_curve"),
    [((), False), (("1", "2", "32"), True), (("1", "more"), False), (("1 → 2", "2 → 4"), False)],
)
def test_numbers_for_whole_numbers_are_a_curve(places: tuple[str, ...], is_curve: bool) -> None:
    assert Prediction("any", "Any", places=places).is_curve == is_curve
    assert ("lab-curve" in drawn_classes(field.Field(Prediction("time", "Any", places=places)))) == is_curve


def drawn_classes(shown: field.Field) -> list[str]:
    return [name for child in shown._box().children for name in child._dom_classes]


def drawing() -> tuple[list[Any], list[Any], Any, Any]:
    """The widgets of a curve: its sliders, the fields below them, the picture behind, and what is answered."""
    box = field.predict("line")._box()
    drawn, row = box.children[2].children
    sliders, fields = zip(*(column.children for column in row.children), strict=True)
    return list(sliders), list(fields), drawn, box.children[-1]


def points(svg: str, colour: str) -> list[tuple[float, float]]:
    """The points of the line of this colour in a picture."""
    line = next(part for part in svg.split("<") if part.startswith("polyline") and colour in part)
    return [
        (float(x), float(y))
        for x, y in (pair.split(",") for pair in line.partition('points="')[2].partition('"')[0].split())
    ]


def test_a_curve_is_drawn_and_what_was_not_moved_is_no_guess() -> None:
    sliders, fields, drawn, said = drawing()
    assert {slider.value for slider in sliders} == {0} and {field.value for field in fields} == {""}
    for slider, stop in zip(sliders[:2], (10, 1), strict=True):
        slider.value = stop
    assert [field.value for field in fields] == ["10", "1.2", ""]
    assert ["lab-open" in slider._dom_classes for slider in sliders] == [False, False, True]
    assert session.current().guesses == {} and said.value == "" and len(points(drawn.value, GUESSED)) == 2
    sliders[2].value = 30
    assert (
        session.current().guesses == {"line": (10, 1.2, 1000)} and "✓ Your guess: 10, 1.2, 1000" in said.value
    )
    (_x, ten), (_x, low), (_x, top) = points(drawn.value, GUESSED)
    assert top < ten < low and sliders[0]._dom_classes == ()


def test_a_typed_number_moves_the_handle_and_stays_as_it_was_typed() -> None:
    sliders, fields, _drawn, said = drawing()
    for typed, text in zip(fields, ("32", "0", "70000"), strict=True):
        typed.value = text
    assert [slider.value for slider in sliders] == [15, 0, 30]  # near 30, and at both ends
    assert [typed.value for typed in fields] == ["32", "0", "70000"]
    assert session.current().guesses == {"line": (32, 0, 70000)}
    for text in ("", "many"):
        fields[0].value = text
        assert (sliders[0].value, fields[0].value) == (15, text) and "lab-open" in sliders[0]._dom_classes
    assert "is no number" in said.value and session.current().guesses == {"line": (32, 0, 70000)}
    assert [typed.value for typed in drawing()[1]] == ["32", "0", "70,000"]  # what was guessed before


def test_a_guess_is_a_line_over_what_was_measured_on_one_axis() -> None:
    field.predict("line", [20, 500, 0])
    found = comparison.compare("line", [20, 50, 0.5])._repr_html_()
    assert 'alt="0: your guess 20 ms, measured 20 ms; 2: your guess 500 ms, measured 50 ms; 8' in found
    svg = b64decode(found.partition("base64,")[2].partition('"')[0]).decode()
    guess, measured = points(svg, GUESSED), points(svg, MEASURED)
    assert guess[0] == measured[0] and guess[1][1] < measured[1][1]
    assert [x for x, _y in guess] == [x for x, _y in measured]
    assert max(y for _x, y in guess) == guess[2][1] >= measured[2][1]  # zero lies at the bottom
    assert re.findall(r">([\d.]+)</text>", svg) == ["0.1", "1", "10", "100", "1000", "0", "2", "8"]


def test_a_line_is_left_out_where_it_is_not_there() -> None:
    found = comparison.compare("line", [1, 2, 3])._repr_html_()
    assert "measured 1 ms" in found and "your guess" not in found
    assert "Not measured here" in comparison.compare("line", None)._repr_html_()


def test_a_guess_is_chosen_and_none_is_chosen_before() -> None:
    _box, (field,), said = fields("myth")
    assert field.index is None and list(field.options) == ["true", "false"]
    field.index = 1
    assert session.current().guesses == {"myth": False} and "false" in said.value


def test_the_field_shows_the_guess_that_was_made() -> None:
    for name, guess, shown in (
        ("time", 0.5, ["0.5"]),
        ("curve", (1, 2), ["1", "2"]),
        ("winner", "spawn", ["spawn"]),
    ):
        field.predict(name, guess)
        assert [field.value for field in fields(name)[1]] == shown
    assert repr(field.predict("time")) == "Time for a batch (ms): 0.5 ms"
    assert repr(field.predict("myth")) == "It is faster: …"


def standing() -> list[str]:
    """What the score says below the points."""
    return repr(scorecard.score()).partition("Total: 0/")[2].splitlines()[1:]


def test_the_score_counts_guesses_and_names_the_best_and_the_next_lesson() -> None:
    following = "Next: lesson 1 Workers"
    assert standing() == ["Guesses: 0, right or near: 0", following]
    field.predict("time", 1)
    field.predict("myth", True)
    assert standing() == ["Guesses: 2, right or near: 0", following]  # nothing is measured yet
    comparison.compare("time", 1.1)
    comparison.compare("myth", False)
    best = "Your best guess: Time for a batch: 1 ms; measured: 1.1 ms"
    assert standing() == ["Guesses: 2, right or near: 1", best, following]


def test_the_next_lesson_is_a_link_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert '<a href="01_workers.ipynb">Next: lesson 1 Workers</a>' in scorecard.score()._repr_html_()
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    assert (
        "<a " not in scorecard.score()._repr_html_()
        and "Next: lesson 1 Workers" in scorecard.score()._repr_html_()
    )
    session.begin("find_the_bottleneck", "en")
    assert "Next" not in repr(scorecard.score()) + scorecard.score()._repr_html_()


def begun_again(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    session.begin("start_here", "en")
    return capsys.readouterr().out


def test_without_a_place_for_it_nothing_is_written_or_remembered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    field.predict("time", 16)
    assert list(tmp_path.iterdir()) == []
    assert "From last time" not in begun_again(capsys) and session.current().guesses == {}


def test_a_learners_folder_remembers_until_it_is_told_to_forget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / progress.FILE).write_text(progress.EMPTY)
    begun_again(capsys)
    progress.remember(tmp_path, "workers", {"points": {"epochs": 3}})  # another notebook of the folder
    field.predict("curve", [1, 2.5])
    field.predict("myth", True)
    session.check("headroom", lambda load, step, num_workers: 1.0)
    points = session.current().points["headroom"]
    session.hint("headroom")
    assert f"From last time: points {points}, guesses 2." in begun_again(capsys)
    now = session.current()
    assert (now.guesses, now.points, now.hints) == (
        {"curve": (1, 2.5), "myth": True},
        {"headroom": points},
        {"headroom": 1},
    )
    session.forget()
    assert "From last time" not in begun_again(capsys)
    assert json.loads((tmp_path / progress.FILE).read_text()) == {
        "version": 1,
        "lessons": {"workers": {"points": {"epochs": 3}}},
    }
    assert [path.name for path in tmp_path.iterdir()] == [progress.FILE]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"lessons": {}}', '{"version": 2, "lessons": {}}', '{"version": 1}']
)
def test_a_file_that_cannot_be_read_is_named_and_left_as_it_is(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / progress.FILE).write_text(text)
    assert "progress.json cannot be read" in begun_again(capsys)
    field.predict("time", 16)  # works all the same
    assert (tmp_path / progress.FILE).read_text() == text


def test_what_an_older_edition_of_the_lesson_kept_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {"guesses": {"time": "soon", "gone": 1, "myth": True}, "points": {"gone": 5}, "hints": {"gone": 1}}
    (tmp_path / progress.FILE).write_text(json.dumps({"version": 1, "lessons": {"start_here": kept}}))
    assert "From last time: points 0, guesses 1." in begun_again(capsys)
    assert session.current().guesses == {"myth": True}

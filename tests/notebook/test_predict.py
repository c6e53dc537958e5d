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
from loaderlab.course import asked
from loaderlab.course.comparison import Comparison
from loaderlab.course.numerals import digits, read
from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.question_card import QuestionCard
from loaderlab.course.sketch import GUESSED, MEASURED
from loaderlab.course.yardstick import Amount
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, use
from loaderlab.measuring import machine, temporary
from loaderlab.notebook import field, front, progress, scorecard, session
from loaderlab.notebook.widget import carry

PREDICTIONS = (
    Prediction("time", "Time for a batch", "ms", by=Amount()),
    Prediction("curve", "Rate", "%", places=("none", "two"), by=Amount(), order=True),
    Prediction("line", "Speed", "ms", places=("0", "2", "8"), by=Amount()),
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
        ("12 345", "pl", 12345), ("1,5", "en", 1.5), ("50%", "en", 50), ("3 batches", "en", 3),
    ],
)  # fmt: skip
def test_a_number_is_read_as_its_language_and_as_python_writes_it(
    text: str, language: str, number: float
) -> None:
    use(language)
    assert read(text) == number


def test_a_bar_of_what_counts_as_nothing_is_short() -> None:
    late = Prediction("late", "Time", "ms", by=Amount(nothing=1))
    bars = [re.findall(r"width:([\d.]+)%", Comparison(late, guess, 0.5).html) for guess in (0, 16)]
    assert bars == [["0.0", "3.0"], ["60.0", "1.9"]]


def test_a_card_asks_to_run_the_next_cell_only_until_that_has_run() -> None:
    card = QuestionCard(PREDICTIONS[0], guess=16)
    assert "run the next cell" in card.said
    assert card.show(10)["said"] == "✓ Your guess: 16 ms."
    assert "run the next cell" not in QuestionCard(PREDICTIONS[0], guess=16, measured=10).said
    assert QuestionCard(PREDICTIONS[0]).show(10)["said"] == ""


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
    for call in (lambda: field.predict("speed"), lambda: field.compare("speed", 1)):
        with pytest.raises(LabError, match="It asks for: time, curve, line, myth, winner"):
            call()


@pytest.mark.parametrize(
    ("name", "guess", "measured", "said"),
    [
        ("time", None, 0.912345, "Time for a batch (ms)\n  measured: 0.912 ms"),
        ("time", 16, 1, "Time for a batch (ms)\n  your guess: 16 ms, measured: 1 ms\n✗ Too high, by a factor of 16."),
        ("time", 1, 16, "✗ Too low, by a factor of 16."),
        ("time", 1.2, 1, "≈ You were near."),
        ("time", 1, 1.0, "✓ As you guessed."),
        ("time", 0, 1, "✗ Too low: the result is 1 ms, and not zero."),
        ("curve", [10, 20], [11, 19], "  none: your guess 10%, measured 11%. ≈ You were near.\n  two: your guess 20%, measured 19%. ≈ You were near."),
        ("curve", [10, 20], [11, 90], "  two: your guess 20%, measured 90%. ✗ Too low, by a factor of 4.5.\nThe order is as you guessed."),
        ("line", [1, 2, 3], [1, 2, 9], "  8: your guess 3 ms, measured 9 ms. ✗ Too low, by a factor of 3."),
        ("myth", True, False, "It is faster\n  your guess: true, measured: false\n✗ Not as you guessed."),
        ("winner", "fork", "fork", "✓ As you guessed."),
        ("winner", "fork", "out of time", "  your guess: fork, measured: out of time\n✗ Not as you guessed."),
        ("time", 3, None, "  your guess: 3 ms\nNot measured here: the cell above says why."),
    ],
)  # fmt: skip
def test_guess_and_measurement_stand_beside_one_another(
    name: str, guess: Any, measured: Any, said: str
) -> None:
    if guess is not None:
        field.predict(name, guess)
    shown = field.compare(name, measured)
    assert repr(shown).endswith(said)
    found = shown._repr_html_()
    assert guess is None or said.rpartition(". ")[2].rpartition("\n")[2] in found
    marks = {"myth": 0, "winner": 0, "line": 1}.get(name, len(repr(shown).split("your guess")) - 1)
    assert found.count("#e69f00") == marks  # a bar for each number guessed, the mark of a line


def test_the_longer_bar_is_the_greater_number() -> None:
    field.predict("time", 5)
    assert [
        "width:60.0%" in part for part in field.compare("time", 10)._repr_html_().split("</div>")[:4]
    ].count(True) == 1
    assert "width:30.0%" in field.compare("time", 10)._repr_html_()


def test_what_a_model_says_is_not_called_measured() -> None:
    shown = Comparison(Prediction("time", "Time for a batch", "ms", computed=True), 2, 3)
    assert (
        repr(shown).splitlines()[1] == "  your guess: 2 ms, computed: 3 ms"
        and "measured" not in shown._repr_html_()
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_numbers_and_words(language: str) -> None:
    use(language)
    field.predict("time", 1.5)
    said = repr(field.compare("time", 30))
    assert ("1.5" in said) == (language == "en") and ("1,5" in said) == (language != "en")
    assert ("your guess" in said) == (language == "en")


def test_french_sets_a_space_before_a_colon_and_a_question_has_no_colon() -> None:
    use("fr")
    assert repr(field.predict("time")) == "Time for a batch (ms)\u00a0: …"
    assert repr(field.predict("winner")) == "Who wins? …"
    assert "\n  none\u00a0: mesuré 1\u00a0%" in repr(field.compare("curve", [1, 2]))


def card(name: str) -> QuestionCard:
    return field.predict(name).card()


def bet(card: QuestionCard, *texts: str) -> dict[str, Any]:
    return card.receive({"event": "bet", "texts": list(texts)})


def test_a_guess_is_typed() -> None:
    shown = card("time")
    assert "✓ Your guess: 16 ms." in bet(shown, "16 ms")["said"] and shown.bets == 1
    changed = bet(shown, "quick")
    assert (
        session.current().guesses == {"time": 16} and "is no number" in changed["said"] and changed["error"]
    )
    assert "bets" not in changed and "bets" not in bet(shown, "1/2") | bet(shown, "-3")
    assert bet(shown, "8")["bets"] == 2 and session.current().guesses == {"time": 8} and not shown.error


def test_a_curve_is_a_guess_when_all_of_it_is_there() -> None:
    shown = card("curve")
    assert "is no number" in bet(shown, "10", "")["said"] and session.current().guesses == {}
    assert bet(shown, "10", "20,5")["bets"] == 1
    assert session.current().guesses == {"curve": (10, 20.5)}


def test_a_card_has_the_question_of_the_lesson_in_full() -> None:
    lesson = session.current().lesson
    name = next(iter(session.texts()))
    shown = field.Field(Prediction(name, "Any", by=Amount())).card()
    assert shown.state["question"] == "For which share of its time does this loop wait?"
    asked_in = [asked.predictions(lesson, code) for code in LANGUAGES]
    assert asked_in[0].keys() == asked_in[1].keys() == asked_in[2].keys() >= {name, "batches", "samples"}


def test_what_is_measured_stands_beside_the_bet_with_a_verdict() -> None:
    widget_of = session.current().watched
    shown = field.predict("time")
    shown._repr_mimebundle_()
    told: list[Any] = []
    tell = widget_of["time"]
    widget_of["time"] = lambda measured: (told.append(measured), tell(measured))
    field.compare("time", 5)
    assert told == [5]
    bet(card_ := card("time"), "20")
    assert card_.state["result"] == "" or "Too high, by a factor of 4." in card_.state["result"]
    assert "Too high, by a factor of 4." in card_.show(5)["result"]
    assert (
        "Too high, by a factor of 4." in card("time").state["result"]
    )  # that of an earlier run, beside an earlier bet


def test_a_widget_carries_bets_to_the_card_and_its_answers_back() -> None:
    shown = card("time")
    widget = carry(shown, front.CARD)
    widget._handle_custom_msg({"event": "bet", "texts": ["16"], "turn": 3}, [])
    assert (widget.bets, widget.answered, widget.error) == (1, 3, False) and "16 ms" in widget.said
    widget._handle_custom_msg({"event": "bet", "texts": ["60-70"], "turn": 4}, [])
    assert (widget.bets, widget.answered, widget.error) == (1, 4, True)
    assert json.loads(json.dumps(shown.state)) == shown.state
    assert "render" in widget._esm and ".lab-card" in widget._css


@pytest.mark.parametrize(
    ("places", "is_curve"),
    [((), False), (("1", "2", "32"), True), (("1", "more"), False), (("1 → 2", "2 → 4"), False)],
)
def test_numbers_for_whole_numbers_are_a_curve(places: tuple[str, ...], is_curve: bool) -> None:
    assert Prediction("any", "Any", places=places).is_curve == is_curve
    shown = field.Field(Prediction("time", "Any", places=places)).card()
    assert (shown.state["kind"] == "curve") == is_curve == bool(shown.state["axis"])


def points(svg: str, colour: str) -> list[tuple[float, float]]:
    """The points of the line of this colour in a picture."""
    line = next(part for part in svg.split("<") if part.startswith("polyline") and colour in part)
    return [
        (float(x), float(y))
        for x, y in (pair.split(",") for pair in line.partition('points="')[2].partition('"')[0].split())
    ]


@pytest.mark.parametrize(
    ("top", "marks"), [(None, ["1", "10", "100", "1000"]), (80, ["0", "20", "40", "60", "80"])]
)
def test_a_curve_is_drawn_on_an_axis_of_powers_or_where_steps_matter_on_a_linear_one(
    top: float | None, marks: list[str]
) -> None:
    shown = QuestionCard(Prediction("line", "Speed", "ms", places=("0", "2", "8"), by=Amount(), top=top))
    axis = shown.state["axis"]
    assert [text for _height, text in axis["marks"]] == marks
    heights = [height for height, _text in axis["stops"]]
    assert heights[0] == 0 and heights[-1] == 1 and heights == sorted(set(heights))
    if top:  # the staircase is as steep at each step
        low, middle, high = shown.receive({"event": "points", "texts": ["20", "40", "60"]})["points"]
        assert high - middle == pytest.approx(middle - low) and low == 0.25


def test_the_point_of_a_typed_number_is_asked_for_and_stays_on_the_axis() -> None:
    shown = card("line")
    assert shown.state["points"] == [None, None, None]
    low, high, none = shown.receive({"event": "points", "texts": ["0", "70000", "many"]})["points"]
    assert (low, high, none) == (0, 1, None) and session.current().guesses == {}
    bet(shown, "32", "0", "70000")
    assert session.current().guesses == {"line": (32, 0, 70000)}
    assert [field["text"] for field in card("line").state["fields"]] == [
        "32",
        "0",
        "70,000",
    ]  # what was guessed before


def test_a_guess_is_a_line_over_what_was_measured_on_one_axis() -> None:
    field.predict("line", [20, 500, 0])
    found = field.compare("line", [20, 50, 0.5])._repr_html_()
    assert 'alt="0: your guess 20 ms, measured 20 ms · 2: your guess 500 ms, measured 50 ms · 8' in found
    svg = b64decode(found.partition("base64,")[2].partition('"')[0]).decode()
    guess, measured = points(svg, GUESSED), points(svg, MEASURED)
    assert guess[0] == measured[0] and guess[1][1] < measured[1][1]
    assert [x for x, _y in guess] == [x for x, _y in measured]
    assert max(y for _x, y in guess) == guess[2][1] >= measured[2][1]  # zero lies at the bottom
    assert re.findall(r">([\d.]+)</text>", svg) == ["0.1", "1", "10", "100", "1000", "0", "2", "8"]


def test_a_line_is_left_out_where_it_is_not_there() -> None:
    found = field.compare("line", [1, 2, 3])._repr_html_()
    assert "measured 1 ms" in found and "your guess" not in found
    assert "Not measured here" in field.compare("line", None)._repr_html_()


def test_a_guess_is_chosen_and_none_is_chosen_before() -> None:
    shown = card("myth")
    assert shown.state["chosen"] == -1 and shown.state["choices"] == ["true", "false"]
    assert "false" in shown.receive({"event": "bet", "choice": 1})["said"]
    assert session.current().guesses == {"myth": False} and card("myth").state["chosen"] == 1


def test_the_card_shows_the_guess_that_was_made() -> None:
    for name, guess, shown in (("time", 0.5, ["0.5"]), ("curve", (1, 2), ["1", "2"])):
        field.predict(name, guess)
        assert [field["text"] for field in card(name).state["fields"]] == shown
    field.predict("winner", "spawn")
    assert card("winner").state["chosen"] == 1 and "✓ Your guess: spawn." in card("winner").state["said"]
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
    field.compare("time", 1.1)
    field.compare("myth", False)
    best = "Your best guess: Time for a batch: 1 ms; measured: 1.1 ms"
    assert standing() == ["Guesses: 2, right or near: 1", best, following]
    field.predict("curve", (0, 4))
    field.compare("curve", (0, 4))
    best = "Your best guess: Rate: 0, 4%; measured: 0, 4%"
    assert standing() == ["Guesses: 3, right or near: 2", best, following]


def test_the_next_lesson_is_a_link_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert '<a href="01_workers.ipynb">Next: lesson 1 Workers</a>' in scorecard.score()._repr_html_()
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    assert (
        "<a " not in scorecard.score()._repr_html_()
        and "Next: lesson 1 Workers" in scorecard.score()._repr_html_()
    )
    session.begin(course.lessons()[-1].name, "en")
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
    session.check("wait_and_compute", lambda events: (0, 0))
    field.compare("curve", [1, 2.6])
    points = session.current().points["wait_and_compute"]
    session.hint("wait_and_compute")
    assert f"From last time: points {points}, guesses 2." in begun_again(capsys)
    now = session.current()
    assert (now.guesses, now.points, now.hints) == (
        {"curve": (1, 2.5), "myth": True},
        {"wait_and_compute": points},
        {"wait_and_compute": 1},
    )
    assert (now.measured, now.won) == ({"curve": (1, 2.6)}, {"curve"})  # the next day, too
    assert "Guesses: 2, right or near: 1" in repr(scorecard.score())
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


def test_points_and_good_guesses_stay_whatever_comes_later() -> None:
    field.predict("time", 10)
    field.compare("time", 10)
    assert standing()[0] == "Guesses: 1, right or near: 1"
    field.predict("time", 1)
    field.compare("time", 900)
    assert standing()[0] == "Guesses: 1, right or near: 1"
    exercise = session.current().lesson.exercises()["wait_and_compute"]
    session.current().note_points("wait_and_compute", exercise.points)
    session.check("wait_and_compute", lambda events: (0, 0))
    assert f"wait_and_compute: {exercise.points}/{exercise.points}" in repr(scorecard.score())
    session.forget()
    assert standing()[0] == "Guesses: 0, right or near: 0" and session.current().points == {}


def test_a_demonstration_gives_no_points_and_takes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(events: object) -> tuple[int, int]:
        return 0, 0

    shown.__module__ = "__main__"
    main = sys.modules["__main__"]
    for named, points in ((False, {}), (True, {"wait_and_compute": 1})):
        if named:  # by now it is the answer
            monkeypatch.setattr(main, "wait_and_compute", shown, raising=False)
        session.check("wait_and_compute", shown)
        assert session.current().points.keys() == points.keys()

"""Questions of an explorer: a button sets what they begin with, and the answer is held against the model's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from loaderlab import course
from loaderlab.course import asked
from loaderlab.course.panel import Panel
from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n import language
from loaderlab.notebook.explorer import Explorer
from loaderlab.web import parts

ASKED = [
    pytest.param(lesson, lesson.scenes()[scene], question, id=f"{lesson.name}-{question.asked.name}")
    for lesson in course.lessons()
    for scene, questions in lesson.questions().items()
    for question in questions
]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    language.use("en")
    yield
    language.use("en")


def draw(**values: Any) -> Picture:
    return Picture(Canvas(800, 40), f"load {values['load']}")


SCENE = Scene("s", (Parameter("load", "Load", 20, 1, 100), Parameter("step", "Step", 10, 1, 100)), draw)
HALF = Question(
    {"load": 40},
    Prediction("half", "Half", "ms", by=Amount({20: "20 is all of it."}, factor=1.1)),
    lambda: (10, 12),
)
WHO = Question(
    {},
    Prediction("who", "Who?", choices={"a": "`Ann`", "b": "Bob"}, by=Choice({"a": "She was away."})),
    lambda: "b",
)
HOW_MANY = Question({}, Prediction("how many", "How many?", by=Count()), lambda: 100)

# What of each picture may be read as the answer, and what of it is near: it is told the answer.
READ: dict[str, tuple[list[Any], list[Any]]] = {
    "half": ([10], [9.6, 10.5]), "hidden": ([10], [9.6]), "gain": ([1.1], [1.12]),
    "enough": ([5], []), "waits": (["fewer"], []), "saved": ([13.6, 13.5, 13.59], [13.9]),  # 9 × 1.5, and 9 × 1.545 as the picture says it
    "step": ([89.5, 90], [92]), "ingredient": (["second_stream"], []), "slowest": ([6.7, 6.71, 6.72, 6.8], [7]),
    "from": ([208], []), "instructions": ([58], [57, 57.1, 60]), "first": (["shared"], []),
    "floats": ([0], []), "fitting": ([2], []), "full_at": ([420, 418], [410]), "shown": ([False], []),
    "full": ([22, 22.2, 22.5, 23], [21, 24]), "copied": ([0.38, 0.381], [0.4]), "ranks": ([3.48, 3.5], [3.4]),
    "whole": ([7], []), "ever": ([7], []), "epochs": ([8], []),
    "bound": (["workers"], []), "workers": ([12], []), "decoding": ([5.5], [5.4, 5.6]),
    "fewest": ([8], []), "crossover": ([0.1, 0.06, 0.056], [0.053]), "twice": ([50, 52, 60], [48]),
    "taken": (["augmenting"], []), "fewest_cores": ([10], []), "locked": ([0.09, 0.0997, 0.1], [0.102]),
}  # fmt: skip


def panel(*questions: Question, texts: tuple[str, ...] = (), **values: int) -> Panel:
    values = {"load": 7, "step": 70} | values
    return Panel(SCENE, values, draw(**values), questions, texts)


def ask(panel: Panel, number: int) -> dict[str, Any]:
    return panel.receive({"event": "ask", "question": number})


def test_a_button_sets_what_its_question_begins_with_and_asks_it_in_full() -> None:
    shown = panel(HALF, WHO, texts=("Where is <code>half</code> of it?", ""))
    first, second = shown.state["questions"]
    assert (first["label"], first["text"], first["heading"]) == (
        "Question 1",
        "Where is <code>half</code> of it?",
        "Half (ms):",
    )
    assert (second["heading"], second["choices"]) == ("Who?", ["Ann", "Bob"]) and shown.state["asked"] == -1
    changed = ask(shown, 0)
    assert (
        changed["asked"] == 0
        and changed["values"] == {"load": 40, "step": 10}
        and "load 40" in changed["sentence"]
    )
    assert ask(shown, 1)["values"] == {"load": 20, "step": 10}


@pytest.mark.parametrize(
    ("question", "typed", "said"),
    [
        (HALF, {"text": "10 ms"}, "✓ Right."),
        (HALF, {"text": "0.01 s"}, "✓ Right."),
        (HALF, {"text": "11"}, "✓ Right."),
        (HALF, {"text": "12.1"}, "✓ Right."),
        (HALF, {"text": "13"}, "≈ You were near: the answer is 10 ms."),
        (HALF, {"text": "14"}, "✗ Not so. Nothing has changed yet. Change this, and look: Load."),
        (HALF, {"text": "20"}, "✗ 20 is all of it."),
        (HALF, {"text": "soon"}, "⚠"),
        (HALF, {"text": "10-20"}, "⚠"),
        (WHO, {"choice": 1}, "✓ Right."),
        (WHO, {"choice": 0}, "✗ She was away."),
        (HOW_MANY, {"text": "100"}, "✓ Right."),
        (HOW_MANY, {"text": "101"}, "✗ Not so."),
        (HOW_MANY, {"text": "99.5"}, "⚠"),
    ],
)
def test_an_answer_is_checked(question: Question, typed: dict[str, Any], said: str) -> None:
    shown = panel(question)
    ask(shown, 0)
    assert said in shown.receive({"event": "answer", **typed})["verdict"]
    assert ask(shown, 0)["verdict"] == ""


def test_a_wrong_answer_is_told_what_to_move_and_whether_it_has_moved() -> None:
    shown = panel(HALF)
    ask(shown, 0)
    shown.receive({"event": "move", "name": "step", "value": 9})  # which shows nothing of the answer
    assert "Nothing has changed yet." in shown.receive({"event": "answer", "text": "14"})["verdict"]
    shown.receive({"event": "move", "name": "load", "value": 30})
    said = shown.receive({"event": "answer", "text": "15"})["verdict"]
    assert said == "✗ Not so. Change this, and look again: Load."


def test_without_questions_there_is_nothing_to_answer() -> None:
    shown = panel()
    assert shown.state["questions"] == [] and shown.receive({"event": "answer", "text": "7"}) == {}
    assert Explorer(SCENE).questions == ()


def test_what_would_tell_the_answer_comes_with_the_check_mark() -> None:
    def tells(load: int, step: int) -> Picture:
        return Picture(Canvas(800, 40), f"Load {load}. Half at {step}. That is all.")

    scene = Scene("s", SCENE.parameters, tells)
    question = Question({}, HALF.asked, lambda: 10, moves=("step",), hides=("Half at {step}.",))
    explorer = Explorer(scene, (question,))
    shown = explorer.panel()
    assert shown.state["alt"] == "Load 20. That is all." and "Half" not in shown.state["sentence"]
    ask(shown, 0)
    assert shown.state["shown"] == ["step"]
    shown.receive({"event": "answer", "text": "9"})
    assert "Half" not in shown.state["sentence"]
    assert "Half at 10." in shown.receive({"event": "answer", "text": "10"})["sentence"]
    assert explorer.sentence == "Load 20. Half at 10. That is all."  # by code nothing is hidden
    language.use("fr")
    assert "Half" not in explorer.panel().sentence


@pytest.mark.parametrize(("lesson", "scene", "question"), ASKED)
def test_controls_and_hidden_sentences_are_those_of_the_scene(
    lesson: course.Lesson, scene: Scene, question: Question
) -> None:
    assert question.moves and set(question.moves) <= {p.name for p in scene.parameters}
    source = (lesson.folder / "scene.py").read_text("utf-8")
    assert all(message in source for message in question.hides)


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize(("lesson", "scene", "question"), ASKED)
def test_the_sentence_does_not_answer_before_a_control_is_moved(
    lesson: course.Lesson, scene: Scene, question: Question, code: str
) -> None:
    language.use(code, lesson.folder)
    explorer = Explorer(scene, (question,)).set(**question.start)
    said, answer = explorer.panel().sentence, question.answer()
    if question.asked.choices and isinstance(answer, str):
        # Two sentences name what they do not answer, or name it for another question.
        assert language.translate(question.asked.choices[answer]) not in said or question.asked.name in (
            "bound",
            "waits",
        )
    elif not isinstance(answer, bool) and question.asked.name not in (
        "hidden",
        "fewest",
    ):  # 10 ms is the step, 8 are the classes
        numbers = [float(number.replace(",", ".")) for number in re.findall(r"\d+(?:[.,]\d+)?", said)]
        assert not any(question.judge(number).good for number in numbers)


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_each_question_is_there_in_full(lesson: course.Lesson, code: str) -> None:
    texts = asked.explorers(lesson, code)
    assert {name: len(listed) for name, listed in texts.items()} == {
        name: len(questions) for name, questions in lesson.questions().items()
    }
    assert all(text for listed in texts.values() for text in listed)


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_field_asks_one_thing_and_shows_no_markup_as_text(lesson: course.Lesson, code: str) -> None:
    language.use(code, lesson.folder)
    texts = asked.explorers(lesson, code)
    for name, questions in lesson.questions().items():
        about = {"kind": "explorer", "scene": name, "values": {}, "asks": True, "texts": texts[name]}
        in_a_notebook = Explorer(lesson.scenes()[name], questions, texts[name]).panel().state["questions"]
        on_the_website = parts.made(lesson.name, about).state["questions"]
        assert in_a_notebook == on_the_website
        for shown, question in zip(in_a_notebook, questions, strict=True):
            words = " ".join([shown["text"], shown["heading"], *shown["choices"]])
            assert "&lt;" not in words and "`" not in words
            assert shown["text"].count("?") == 1
            unit = {"s": "seconds", "%": "percent"}.get(question.asked.unit, question.asked.unit)
            assert code != "en" or unit in shown["text"]


@pytest.mark.parametrize(("lesson", "scene", "question"), ASKED)
def test_the_model_answers_and_other_answers_are_not_right(
    lesson: course.Lesson, scene: Scene, question: Question
) -> None:
    Explorer(scene).set(**question.start)
    right, near = READ[question.asked.name]
    assert [question.judge(question.asked.checked(guess)).mark for guess in right + near] == [
        *["✓"] * len(right),
        *["≈"] * len(near),
    ]
    if question.asked.choices:
        assert [key for key in question.asked.choices if question.judge(key).good] == right
    elif 0 not in right:
        assert not any(question.judge(guess).good for guess in (0, 0.85 * min(right), 1.15 * max(right)))


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize(("lesson", "scene", "question"), ASKED)
def test_the_most_plausible_wrong_answer_has_its_word(
    lesson: course.Lesson, scene: Scene, question: Question, code: str
) -> None:
    language.use(code, lesson.folder)
    (yardstick,) = question.asked.yardsticks
    assert yardstick.known
    for wrong, sentence in yardstick.known.items():
        outcome = question.judge(question.asked.checked(wrong))
        assert outcome.mark == "✗" and (outcome.text == sentence) == (code == "en")


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_asks_as_many_questions_as_its_text(lesson: course.Lesson) -> None:
    text = (lesson.folder / "lesson.md").read_text("utf-8")
    listed = [part.split("\n\n")[1].count("\n") + 1 for part in text.split("\nFind out")[1:]]
    assert listed == [len(questions) for questions in lesson.questions().values()]
    assert text.count("questions=True") == len(listed)

"""Questions of an explorer: a button sets what they begin with, and the answer is held against the model's."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from loaderlab import course
from loaderlab.course import asked
from loaderlab.course.panel import Panel
from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n import language
from loaderlab.notebook.explorer import Explorer

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
HALF = Question({"load": 40}, Prediction("half", "Half", "ms"), lambda: 10)
WHO = Question({}, Prediction("who", "Who?", choices={"a": "Ann", "b": "Bob"}), lambda: "b")


def panel(*questions: Question, texts: tuple[str, ...] = (), **values: int) -> Panel:
    values = {"load": 7, "step": 70} | values
    return Panel(SCENE, values, draw(**values), questions, texts)


def ask(panel: Panel, number: int) -> dict[str, Any]:
    return panel.receive({"event": "ask", "question": number})


def test_a_button_sets_what_its_question_begins_with_and_asks_it_in_full() -> None:
    shown = panel(HALF, WHO, texts=("Where is `half` of it?", ""))
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
        (HALF, {"text": "11"}, "✗ Not so."),
        (HALF, {"text": "soon"}, "⚠"),
        (HALF, {"text": "10-20"}, "⚠"),
        (WHO, {"choice": 1}, "✓ Right."),
        (WHO, {"choice": 0}, "✗ Not so."),
    ],
)
def test_an_answer_is_checked(question: Question, typed: dict[str, Any], said: str) -> None:
    shown = panel(question)
    ask(shown, 0)
    assert said in shown.receive({"event": "answer", **typed})["verdict"]
    assert ask(shown, 0)["verdict"] == ""


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
            "dearer",
            "waits",
        )
    elif not isinstance(answer, bool) and question.asked.name != "hidden":  # where 10 ms is the step
        numbers = [
            abs(float(number.replace(",", ".")) - answer) for number in re.findall(r"\d+(?:[.,]\d+)?", said)
        ]
        assert min(numbers, default=math.inf) > question.within * answer


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_each_question_is_there_in_full(lesson: course.Lesson, code: str) -> None:
    texts = asked.explorers(lesson, code)
    assert {name: len(listed) for name, listed in texts.items()} == {
        name: len(questions) for name, questions in lesson.questions().items()
    }
    assert all(text for listed in texts.values() for text in listed)


@pytest.mark.parametrize(("lesson", "scene", "question"), ASKED)
def test_the_model_answers_and_other_answers_are_not_right(
    lesson: course.Lesson, scene: Scene, question: Question
) -> None:
    Explorer(scene).set(**question.start)
    answer = question.answer()
    assert question.right(question.asked.checked(answer))
    if question.asked.choices:
        assert [key for key in question.asked.choices if question.right(key)] == [answer]
    else:
        assert not any(question.right(wrong * answer) for wrong in (0.8, 1.2))
        digits = language.number(answer, 0 if answer >= 20 else 2)
        assert question.right(float(digits.replace(",", "")))  # as precise as one can read it


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_asks_as_many_questions_as_its_text(lesson: course.Lesson) -> None:
    text = (lesson.folder / "lesson.md").read_text("utf-8")
    listed = [part.split("\n\n")[1].count("\n") + 1 for part in text.split("\nFind out")[1:]]
    assert listed == [len(questions) for questions in lesson.questions().values()]
    assert text.count("questions=True") == len(listed)

"""Questions of an explorer: a button sets what they begin with, and the answer is held against the model's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ipywidgets as widgets
import pytest

from loaderlab import course
from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n import language
from loaderlab.notebook.explorer import Explorer
from loaderlab.notebook.panel import Panel

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


def asked(panel: Panel) -> tuple[str, Any, str]:
    """Of the question that was chosen: its words, its field, and the verdict."""
    assert panel.asking
    words, field, said = panel.asking.asked.children
    return words.value, field, said.value


def test_a_button_sets_what_its_question_begins_with_and_asks() -> None:
    panel = Panel(SCENE, {"load": 7, "step": 70}, draw(load=7), (HALF, WHO))
    assert panel.asking and [button.description for button in panel.asking.buttons] == [
        "Question 1",
        "Question 2",
    ]
    panel.asking.buttons[0].click()
    assert panel.values == {"load": 40, "step": 10} and "load 40" in panel.words.value
    words, field, said = asked(panel)
    assert "Half (ms):" in words and isinstance(field, widgets.Text) and not said
    panel.asking.buttons[1].click()
    assert panel.values == {"load": 20, "step": 10}
    assert "Who?" in asked(panel)[0] and "Who?:" not in asked(panel)[0]


@pytest.mark.parametrize(
    ("question", "typed", "said"),
    [
        (HALF, "10 ms", "✓ Right."),
        (HALF, "11", "✗ Not so."),
        (HALF, "soon", "⚠"),
        (WHO, "b", "✓ Right."),
        (WHO, "a", "✗ Not so."),
    ],
)
def test_an_answer_is_checked(question: Question, typed: str, said: str) -> None:
    panel = Panel(SCENE, SCENE.defaults, draw(load=20), (question,))
    assert panel.asking
    panel.asking.buttons[0].click()
    asked(panel)[1].value = typed
    assert said in asked(panel)[2]


def test_without_questions_there_is_no_room_for_them() -> None:
    assert Panel(SCENE, SCENE.defaults, draw(load=20)).asking is None
    assert Explorer(SCENE).questions == ()


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

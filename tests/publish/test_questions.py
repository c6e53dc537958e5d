"""A question that its own field cannot answer is found: each rule is broken once, and the course's own questions break none."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.drawing.scene import Parameter
from loaderlab.publish import questions

pytestmark = pytest.mark.usefixtures("english")

CONTROLS = {"rate": Parameter("rate", "Rate (GB/s)", 30, 1, 50), "on": Parameter("on", "On", True)}


def said(answer: Any, by: Any, moves: tuple[str, ...] = ("rate",), **fields: Any) -> list[str]:
    question = Question({}, Prediction("slowest", "Slowest", by=by, **fields), lambda: answer, moves=moves)
    return list(questions.of_answer("questions.py", question, CONTROLS))


@pytest.mark.parametrize(
    ("answer", "by", "fields"),
    [
        (6.71, Amount({10: "There is time left."}, factor=1.05), {"unit": "GB/s"}),
        ((6.7108864, 7), Amount(factor=1.05), {"unit": "GB/s"}),
        (8, Count({4: "One worker gets none."}), {}),
        (True, Choice({False: "It does."}), {"choices": {True: "yes", False: "no"}}),
    ],
)
def test_a_field_that_takes_its_models_answer_is_left_alone(
    answer: Any, by: Any, fields: dict[str, Any]
) -> None:
    assert said(answer, by, **fields) == []


@pytest.mark.parametrize(
    ("answer", "by", "fields", "found"),
    [
        (6.71, Count(), {}, "does not take the answer of its own model, 6.71."),
        (6.71, Amount(low=7), {}, "does not take the answer of its own model, 6.71."),
        ((6.71, 26), Amount(), {}, "the field of 'slowest' takes all from 6.71 to 26 as right, and a step of its slider is 1"),
        (26.8, Amount({26: "The device would wait."}), {}, "calls 26 a wrong answer to 'slowest', but its field takes it."),
        ("c", Choice(), {"choices": {"a": "a", "b": "b"}}, "does not take the answer of its own model, c."),
    ],
)  # fmt: skip
def test_a_field_that_refuses_what_is_right_or_takes_what_is_wrong_is_said(
    answer: Any, by: Any, fields: dict[str, Any], found: str
) -> None:
    (problem,) = said(answer, by, **fields)
    assert problem.startswith("questions.py: ") and found in problem


def test_where_no_slider_is_moved_the_answer_is_one_number() -> None:
    assert "a step of its slider is 0" in said((2, 2.5), Amount(), moves=("on",))[0]


def test_a_text_asks_no_more_than_its_fields_take() -> None:
    text = "How long is <code>a?b</code> without workers? And with two?"
    assert list(questions.too_much("lesson.md", "seen", text, 2)) == []
    (problem,) = questions.too_much("lesson.md", "seen", text, 1)
    assert "of 'seen' asks more than its field takes (question marks: 2, fields: 1)." in problem

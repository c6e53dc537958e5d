"""The questions of a lesson against their fields: none asks for more than its field takes, and each takes the answer of its own model.

A question that is answered with an explorer has its answer computed from the figures with which it begins; what a learner reads
there, on the slider or in the picture, has to be right, and no answer that is known as wrong can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlab.course import asked
from loaderlab.course.numerals import digits
from loaderlab.course.yardstick import RIGHT
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

if TYPE_CHECKING:
    from loaderlab.course import Lesson
    from loaderlab.course.question import Question
    from loaderlab.drawing.scene import Parameter

_CODE = re.compile(r"<code>.*?</code>")
_SHOWN = 60  # characters of a question
_ROUNDING = 1e-9


def problems(folder: str, lesson: Lesson) -> Iterator[str]:
    """Yield what is wrong with the questions of a lesson, a sentence each; ``folder`` is that of the lesson, as the reader knows it."""
    known = lesson.predictions()
    for name, text in asked.predictions(lesson).items():
        if name in known:
            yield from too_much(f"{folder}/lesson.md", name, text, max(1, len(known[name].places)))
    texts, scenes = asked.explorers(lesson), lesson.scenes()
    for scene, questions in lesson.questions().items():
        for text in texts.get(scene, ()):
            yield from too_much(f"{folder}/lesson.md", scene, text, 1)
        for question in questions:
            controls = {parameter.name: parameter for parameter in scenes[scene].parameters}
            yield from of_answer(f"{folder}/questions.py", question, controls)


def too_much(file: str, name: str, text: str, fields: int) -> Iterator[str]:
    """Yield a sentence where a text, as HTML, asks more than it has ``fields``."""
    asks = _CODE.sub("", text).count("?")
    if asks > fields:
        yield _(
            "{file}: the question {text!r} of {name!r} asks more than its field takes (question marks: {asks}, fields: "
            "{fields}). Ask one thing, and turn the others into something to try."
        ).format(file=file, text=f"{text[:_SHOWN]}…", name=name, asks=asks, fields=fields)


def of_answer(file: str, question: Question, controls: Mapping[str, Parameter]) -> Iterator[str]:
    """Yield where the field of a question and its own model do not agree."""
    prediction, answer = question.asked, question.answer()
    read = answer if isinstance(answer, tuple) else (answer,)
    for each in read:
        try:
            guess = prediction.checked(each) if prediction.choices else prediction.typed([digits(each)])
            taken = question.judge(guess).mark == RIGHT
        except LabError:
            taken = False
        if not taken:
            yield _(
                "{file}: the field of {name!r} does not take the answer of its own model, {answer}. Correct its yardstick, its "
                "choices or `answer`."
            ).format(file=file, name=prediction.name, answer=each)
    step = max((controls[name].step for name in question.moves if controls[name].is_number), default=0)
    if len(read) > 1 and abs(read[0] - read[-1]) > step * (1 + _ROUNDING):
        yield _(
            "{file}: the field of {name!r} takes all from {low} to {high} as right, and a step of its slider is {step}: "
            "a wrong answer would be taken. Bring the two bounds closer together."
        ).format(file=file, name=prediction.name, low=min(read), high=max(read), step=step)
    (yardstick,) = prediction.yardsticks
    for wrong in yardstick.known:
        if question.judge(prediction.checked(wrong)).good:
            yield _(
                "{file}: a sentence calls {wrong!r} a wrong answer to {name!r}, but its field takes it. Remove the "
                "sentence, or correct the yardstick."
            ).format(file=file, name=prediction.name, wrong=wrong)

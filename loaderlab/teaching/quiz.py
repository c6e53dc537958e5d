"""`loaderlab quiz`: ten questions of the course as a quiz for Moodle, in its GIFT form, after lessons 1, 5 and 8.

What was asked before a measurement is asked again when all is known: the right answer is what the course's own notebook counted or
chose, the wrong ones are those that many give, and each has its reason as feedback.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loaderlab import course
from loaderlab.course import Lesson, asked
from loaderlab.course.markup import inline
from loaderlab.course.outline import read
from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Yardstick
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.teaching import measured

AFTER = (1, 5, 8)  # numbers of the lessons after which there is a quiz, on all since the one before
MOST, LEAST = 10, 3  # questions; answers to choose from
_SPECIAL = re.compile(r"([~=#{}:\\])")


@dataclass(frozen=True)
class Item:
    """A question of the quiz: ``right`` is the answer, ``wrong`` has the others, each with its reason (which may be empty)."""

    name: str
    lesson: str
    stem: str
    right: str
    wrong: tuple[tuple[str, str], ...]

    @property
    def gift(self) -> str:
        """The question as Moodle imports it."""
        answers = [f"={_escaped(self.right)}"]
        answers += [f"~{_escaped(text)}" + (f"#{_escaped(why)}" if why else "") for text, why in self.wrong]
        return (
            f"::{_escaped(f'{self.lesson}: {self.name}')}::[html]{_escaped(self.stem)} {{\n"
            + "\n".join(answers)
            + "\n}"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab quiz`."""
    add = parser.add_argument
    add("lesson", help="the lesson after which it is: workers, copy_on_write or find_the_bottleneck")
    add("--language", choices=language.LANGUAGES, default=argparse.SUPPRESS, help="language")


def run(options: argparse.Namespace) -> int:
    """Print the quiz."""
    print(quiz(course.lesson(options.lesson), language.current()))
    return 0


def quiz(last: Lesson, code: str) -> str:
    """Return the quiz after a lesson; raises :class:`LabError` for one that has none."""
    if last.number not in AFTER:
        known = ", ".join(lesson.name for lesson in course.lessons() if lesson.number in AFTER)
        raise LabError(
            _("There is no quiz after lesson {name!r}. There is one after: {known}.").format(
                name=last.name, known=known
            )
        )
    before = max((number for number in AFTER if number < last.number), default=-1)
    lessons = [lesson for lesson in course.lessons() if before < lesson.number <= last.number]
    found = [list(items(lesson, code)) for lesson in lessons]
    if not any(found):
        raise LabError(
            _(
                "The answers come from notebooks, and there are none here. Clone the repository, and call `loaderlab "
                "quiz` from there."
            )
        )
    taken = [each for turn in range(MOST) for listed in found for each in listed[turn : turn + 1]][:MOST]
    return "\n\n".join(item.gift for listed in found for item in listed if item in taken)


def items(lesson: Lesson, code: str) -> Iterator[Item]:
    """Yield what can be asked of a lesson: places of predictions whose answer is a count or a choice, first those with known wrong answers."""
    found, name = measured.of(lesson, code), read(lesson, code).name
    contexts = asked.contexts(lesson, code)
    texts = {
        each: "".join(f"<p>{part}</p>" for part in (contexts.get(each), text) if part)
        for each, text in asked.predictions(lesson, code).items()
    }
    made: list[Item] = []
    with language.speaking(code, lesson.folder):
        for prediction in lesson.predictions().values():
            if prediction.name in found and prediction.name in texts:
                places = _places(prediction, found[prediction.name], texts[prediction.name], name)
                made += (item for item in places if len(item.wrong) + 1 >= LEAST)
    yield from sorted(made, key=lambda item: -sum(bool(why) for _text, why in item.wrong))


def _places(prediction: Prediction, found: Any, text: str, lesson: str) -> Iterator[Item]:
    values = found if prediction.places else [found]
    for place, value, yardstick in zip(
        prediction.places or ("",), values, prediction.yardsticks, strict=True
    ):
        if yardstick.whole:
            head = f"{prediction.label} · {_(place)}" if place else prediction.label
            wrong = _wrong(prediction, yardstick, value, values)
            stem, right = f"{text}<p><b>{inline(head)}</b></p>", inline(prediction.written_one(value))
            yield Item(prediction.name, lesson, stem, right, wrong)


def _wrong(
    prediction: Prediction, yardstick: Yardstick, right: Any, values: Sequence[Any]
) -> tuple[tuple[str, str], ...]:
    """Return the wrong answers: those that are known with their reasons, then other choices, or what is right elsewhere, or twice and half."""
    others = list(prediction.choices) if prediction.choices else [*values, 2 * right, right // 2, right + 1]
    wrong = {key: _(why) for key, why in yardstick.known.items() if key != right}
    for other in others:
        if other != right and other not in wrong and (prediction.choices or len(wrong) < LEAST):
            wrong[other] = ""
    return tuple((inline(prediction.written_one(key)), inline(why)) for key, why in wrong.items())


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

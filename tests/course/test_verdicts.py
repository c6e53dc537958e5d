"""The verdict on each guess of the course: the naive answer is not praised, the insight is not called wrong, zero can be right."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from loaderlab import course
from loaderlab.course.comparison import Comparison
from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Ratio, Share, Speed
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, use
from places import ROOT


class Answers(NamedTuple):
    """Of one question: what somebody says who has not understood it, who has, and what is measured."""

    naive: Any
    insight: Any
    measured: Any


def answers(lesson: str) -> dict[str, Answers]:
    """Return those of each question of a lesson, which `guesses.py` beside its tests has."""
    guesses = runpy.run_path(str(ROOT / "tests" / "lessons" / lesson / "guesses.py"))["GUESSES"]
    return {name: Answers(*three) for name, three in guesses.items()}


ANSWERS = {lesson.name: answers(lesson.name) for lesson in course.lessons()}

ASKED = [
    pytest.param(prediction, id=f"{lesson.name}-{prediction.name}")
    for lesson in course.lessons()
    for prediction in lesson.predictions().values()
]
BY_PREDICTION = {
    id(prediction): ANSWERS[lesson.name][prediction.name]
    for lesson in course.lessons()
    for prediction in lesson.predictions().values()
    if prediction.name in ANSWERS[lesson.name]
}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    use("en")
    yield
    use("en")


def marks(prediction: Prediction, guess: Any, measured: Any) -> str:
    return "".join(outcome.mark for outcome in prediction.outcomes(prediction.checked(guess), measured))


def test_each_question_of_the_course_has_its_answers_here() -> None:
    assert {lesson.name: set(lesson.predictions()) for lesson in course.lessons()} == {
        lesson: set(answers) for lesson, answers in ANSWERS.items()
    }


@pytest.mark.parametrize("prediction", ASKED)
def test_a_question_with_numbers_says_how_they_are_judged(prediction: Prediction) -> None:
    assert prediction.by is not None or prediction.choices
    assert len(prediction.yardsticks) == max(1, len(prediction.places))
    assert prediction.top is None or prediction.is_curve


@pytest.mark.parametrize("prediction", ASKED)
def test_the_naive_answer_is_not_praised_and_the_insight_is_not_called_wrong(prediction: Prediction) -> None:
    naive, insight, measured = BY_PREDICTION[id(prediction)]
    found = marks(prediction, naive, measured)
    assert "✗" in found
    assert "✗" not in marks(prediction, insight, measured)


@pytest.mark.parametrize("prediction", ASKED)
def test_zero_is_right_where_it_is(prediction: Prediction) -> None:
    _naive, _insight, measured = BY_PREDICTION[id(prediction)]
    values = measured if prediction.places else [measured]
    if not prediction.choices and 0 in values:
        guess = [value if value == 0 else value + 1 for value in values]
        found = marks(prediction, guess if prediction.places else guess[0], measured)
        assert [mark for mark, value in zip(found, values, strict=True) if value == 0] == ["✓"] * list(
            values
        ).count(0)


@pytest.mark.parametrize("prediction", ASKED)
def test_near_is_said_within_a_factor_of_2_or_three_percentage_points_only(prediction: Prediction) -> None:
    for yardstick in prediction.yardsticks:
        if isinstance(yardstick, Choice | Count):
            continue
        for measured in (0.02, 0.07, 0.5, 1, 1.5, 4, 20, 340, 8000):
            for factor in (2.1, 3, 7, 14, 100):
                for guess in (measured * factor, measured / factor):
                    few = isinstance(yardstick, Share) and abs(guess - measured) <= 3
                    assert few or yardstick.judge(guess, measured).text != "You were near."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("prediction", ASKED)
def test_a_known_mistake_is_told_so_in_each_language(prediction: Prediction, language: str) -> None:
    lesson = next(one for one in course.lessons() if prediction in one.predictions().values())
    use(language, lesson.folder)
    _naive, _insight, measured = BY_PREDICTION[id(prediction)]
    values = measured if prediction.places else [measured]
    for yardstick, value in zip(prediction.yardsticks, values, strict=True):
        for wrong, sentence in (yardstick.known | yardstick.close).items():
            if wrong in yardstick.close and (wrong == value or yardstick.near(wrong, value)):
                continue  # what misses a detail elsewhere is right here
            outcome = yardstick.judge(wrong, value)
            assert outcome.good == (wrong in yardstick.close)
            assert (outcome.text == sentence) == (language == "en")


# --- what the newcomer typed, and was told the contrary of what is true


@pytest.mark.parametrize(
    ("lesson", "name", "guess", "measured", "said"),
    [
        ("start_here", "batches", 2, 3, "✗ 2 is what `//` gives: it forgets the last, smaller batch."),
        ("workers", "wait", (16, 0), (19, 1), "num_workers=2: your guess 0 ms, measured 1 ms. ≈ Next to nothing, as you guessed."),
        ("start_here", "late", 0.1, 0.02, "≈ Next to nothing, as you guessed."),
        ("workers", "times", (4, 2, 4), (4.02, 1.77, 0.0288), "✗ You expected 4 times faster; it is 34.7 times slower."),
        ("workers", "times", (3, 2, 0.5), (4.02, 1.77, 0.0288), "The order is as you guessed."),
        ("workers", "times", (4, 2, 0.5), (4.02, 1.77, 0.074), "≈ The direction is right; it is 13.5 times slower."),
        ("workers", "ordered", (6, 7, 12), (6, 7, 7), "✗ Nothing is ordered in a pause"),
        ("workers", "draws", (24, 24, 12, 6), (24, 24, 24, 6), "✗ Before PyTorch 1.9, a bug made workers draw the same"),
        ("pin_memory", "waiting", 0, 49.6, "✗ 0% would need pinned memory and a second stream"),
        ("warps", "doubled", (0.9, 1.2), (0.89, 1.73), "✗ Too low, by a factor of 1.44."),
        ("warps", "doubled", (0.7, 1.7), (0.894, 1.73), "✗ There is next to no difference."),
        ("warps", "one_more", (1.5, 1.5), (1.01, 1.96), "✗ 1.5 would be three warps of 32 rows instead of two."),
        ("shared_memory", "crossing", (340, 1_024_000, 34_000), (340, 1_024_163, 7865), "✗ What all tensors have in common"),
        ("shared_memory", "longest", "np.stack", "fields", "✗ The bytes of the array go through the pipe"),
        ("copy_on_write", "pages", (2, 2, 10), (1, 1, 9), "≈ Ten strings in a row lie on one page, or two."),
        ("find_the_bottleneck", "alone", 1, 1.35, "≈ Nearly: eight workers wait at the same time"),
        ("webdataset", "network", (200, 16), (24, 7), "✗ 200 samples share one wait, 0.02 ms for each, but parsing a sample takes several times as long."),
        ("ddp_sampling", "left_out", 59, 234, "✗ So many samples are left over on one rank, and there are four ranks."),
        ("ddp_sampling", "left_out", 236, 234, "≈ Two of the 4 × 59 samples are repeats"),
        ("ddp_sampling", "alone", 3, 6, "✗ Rank 0 goes on with its second epoch"),
        ("find_the_bottleneck", "alone", 2, 1.2, "✗ A sample alone takes half as long, but eight workers"),
    ],
)  # fmt: skip
def test_what_the_newcomer_met(lesson: str, name: str, guess: Any, measured: Any, said: str) -> None:
    prediction = course.lesson(lesson).predictions()[name]
    assert said in repr(Comparison(prediction, guess, measured))


# --- the yardsticks


@pytest.mark.parametrize(
    ("yardstick", "guess", "measured", "said"),
    [
        (Count(), 3, 3.0, "✓ As you guessed."),
        (Count(), 2, 3, "✗ Not as you guessed."),
        (Count({2: "Why."}), 2, 3, "✗ Why."),
        (Count({2: "Why."}), 2, 2, "✓ As you guessed."),
        (Count(close={236: "All but two."}), 236, 234, "≈ All but two."),
        (Count(close={236: "All but two."}), 235, 234, "✗ Not as you guessed."),
        (Count(close={236: "All but two."}), 236, 236, "✓ As you guessed."),
        (Amount(), 1.2, 1, "≈ You were near."),
        (Amount(), 1.3, 1, "✗ Too high, by a factor of 1.3."),
        (Amount(), 0, 1, "✗ Too low: the result is 1, and not zero."),
        (Amount(nothing=2), 0, 2, "≈ Next to nothing, as you guessed."),
        (Amount(nothing=2), 5, 1, "✗ Too high: the result is next to nothing."),
        (Amount(nothing=2), 5, 0, "✗ Too high: the result is zero."),
        (Amount(nothing=2), 50, 49, "≈ You were near."),
        (Amount(nothing=2), 3, 1.2, "≈ The difference is next to nothing."),
        (Amount({50: "Why."}), 49.5, 99, "✗ Why."),
        (Share(), 40, 63, "✗ Too low, by 23 percentage points."),
        (Share(), 53, 63, "≈ You were near."),
        (Share(), 10, 3, "✗ Too high, by 7 percentage points."),
        (Share(), 3, 0, "≈ You were near."),
        (Speed(), 4, 1 / 35, "✗ You expected 4 times faster; it is 35 times slower."),
        (Speed(), 0.5, 3, "✗ You expected 2 times slower; it is 3 times faster."),
        (Speed(), 1, 0.5, "✗ You expected no difference; it is 2 times slower."),
        (Speed(), 3, 1.05, "✗ There is next to no difference."),
        (Speed(), 1.1, 0.95, "≈ You were near."),
        (Speed(factor=3), 1.2, 0.8, "✗ You expected 1.2 times faster; it is 1.25 times slower."),
        (Speed(), 3, 4.5, "✗ Too low, by a factor of 1.5."),
        (Speed(factor=100), 0.5, 0.05, "≈ The direction is right; it is 20 times slower."),
        (Speed(factor=100), 2, 20, "≈ The direction is right; it is 20 times faster."),
        (Ratio(), 2, 0.5, "✗ You expected more; it is less, by a factor of 2."),
        (Ratio(), 1, 2, "✗ You expected no difference; it is more, by a factor of 2."),
        (Ratio(even=1.3), 1.2, 1.8, "✗ Too low, by a factor of 1.5."),
        (Ratio(even=1.3), 0.7, 0.894, "✗ There is next to no difference."),
        (Ratio(even=1.3), 0.75, 0.8, "≈ You were near."),
        (Ratio(), 1, 1.25, "✗ You expected no difference; it is more, by a factor of 1.25."),
        (Ratio(), 1.2, 1, "✗ There is next to no difference."),
        (Ratio(), 1.2, 1.14, "≈ You were near."),
        (Ratio(even=1.5), 0.7, 1.45, "≈ You were near."),
        (Ratio(factor=100), 2, 20, "≈ The direction is right; it is more, by a factor of 20."),
        (Choice({True: "Why."}), True, False, "✗ Why."),
        (Choice({1: "Why."}), True, False, "✗ Not as you guessed."),
    ],
)  # fmt: skip
def test_a_verdict_is_the_yardsticks_own(yardstick: Any, guess: Any, measured: Any, said: str) -> None:
    assert str(yardstick.judge(guess, measured)) == said


SIDES = {"more": 1, "faster": 1, "less": -1, "slower": -1, "no difference": 0}
_HALVES = re.compile(r"expected (?:\S+ times )?([a-z ]+); it is (?:\S+ times )?(\w+)")


@pytest.mark.parametrize("yardstick", [Ratio(), Ratio(even=1.3), Ratio(factor=100), Speed(), Speed(factor=3)])
def test_both_halves_of_a_verdict_on_a_ratio_are_true(yardstick: Ratio) -> None:
    ratios = [0.03, 0.5, 0.7, 0.8, 0.894, 0.95, 1, 1.05, 1.11, 1.2, 1.29, 1.44, 1.73, 2, 4, 35]
    for guess in ratios:
        for measured in ratios:
            outcome = yardstick.judge(guess, measured)
            even = [1 / yardstick.even <= ratio <= yardstick.even for ratio in (guess, measured)]
            if halves := _HALVES.search(outcome.text):
                assert [SIDES[half] for half in halves.groups()] == [
                    (guess > 1) - (guess < 1), (measured > 1) - (measured < 1)
                ]  # fmt: skip
            if "no difference" in outcome.text:
                assert even[1] or guess == 1
            # Who expects a difference is not near where there is none, but at the border between the two.
            if outcome.good and even[0] != even[1]:
                assert max(guess / measured, measured / guess) <= yardstick.even**0.5


@pytest.mark.parametrize(
    ("yardstick", "unit", "text", "said"),
    [
        (Share(), "%", "160 %", "Expected: a number from 0 to 100."),
        (Share(), "%", "−5", "Expected: a number from 0 to 100."),
        (Share(), "%", "1/2", "is more than one number"),
        (Share(), "%", "60-70", "is more than one number"),
        (Share(), "%", "60–70", "is more than one number"),
        (Share(), "%", ".6", "0.6% or 60%? Type the number with %."),
        (Count(), "", "2.5", "Expected: a whole number, 0 or more."),
        (Count(), "", "3 of 4", "is more than one number"),
        (Count(), "", "5 ms", "has another unit than this field. Expected: a number without a unit."),
        (Amount(), "ms", "-1", "Expected: a number, 0 or more."),
        (Amount(), "ms", "3 MiB", "has another unit than this field. Expected: ms."),
        (Speed(), "", "0", "Expected: a number above 0: 2 is twice as much, 0.5 half as much."),
    ],
)
def test_what_is_no_number_in_range_is_refused_in_words(
    yardstick: Any, unit: str, text: str, said: str
) -> None:
    with pytest.raises(LabError, match=re.escape(said)):
        Prediction("any", "Any", unit, by=yardstick).typed([text])


@pytest.mark.parametrize(
    ("unit", "text", "number"),
    [
        ("ms", "0.3 s", 300), ("ms", "16", 16), ("ms", "16 ms", 16), ("MiB", "1 GiB", 1024), ("%", "40 %", 40), ("%", "0.6 %", 0.6), ("%", "0", 0),
        ("", "4x", 4), ("", "4×", 4), ("", "12 batches", 12), ("samples/s", "2000 samples/s", 2000), ("bytes", "2 KiB", 2048),
    ],
)  # fmt: skip
def test_what_is_meant_is_taken(unit: str, text: str, number: float) -> None:
    assert Prediction("any", "Any", unit, by=Amount()).typed([text]) == number


def test_a_choice_is_not_a_number() -> None:
    myth = Prediction("myth", "It is faster", choices=TRUE_OR_FALSE)
    assert marks(myth, True, False) == "✗" and marks(myth, False, False) == "✓"
    with pytest.raises(LabError):
        myth.checked(1)

"""The results that pages show beside a bet are those that the committed notebooks show, in every language."""

from __future__ import annotations

import runpy
from datetime import date
from typing import Any

import pytest

from loaderlab import course
from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Share
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.publish import activity, stored_results
from loaderlab.publish.notebook import read
from places import ROOT, STUDENT_FOLDERS, notebooks


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_result_is_read_as_it_was_written(lesson: course.Lesson) -> None:
    """Measured is what the machine took; where it could not, no language has a result, and choices are the same in each."""
    found: dict[str, dict[str, object]] = {}
    asked: dict[str, Prediction] = lesson.predictions()
    for language in LANGUAGES:
        notebook = read(ROOT / STUDENT_FOLDERS[language] / f"{lesson.file}.ipynb")
        with speaking(language, lesson.folder):
            results = activity.results(notebook)
            found[language] = {
                name: stored_results.result(cell, asked[name])
                for name, cell in results.items()
                if name in asked
            }
            for name, result in found[language].items():
                text = "".join(
                    output.get("data", {}).get("text/plain", "") for output in results[name].outputs
                )
                assert (result is None) == (_("Not measured here: the cell above says why.") in text), (
                    language,
                    name,
                )
                if result is not None:
                    numbers = result if isinstance(result, tuple) else (result,)
                    places = asked[name].places or ("",)
                    assert len(numbers) == len(places) and asked[name].formed(result) == result
    english = found["en"]
    assert english
    for language in LANGUAGES:
        assert {name for name, result in found[language].items() if result is not None} == {
            name for name, result in english.items() if result is not None
        }
        for name, result in english.items():
            if asked[name].computed:
                assert found[language][name] == result, (language, name)


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_from_the_figures_of_a_question_its_verdict_follows_in_every_stored_notebook(
    lesson: course.Lesson,
) -> None:
    """Who has understood the question is wrong in none of them, and who has not is in each."""
    guesses = runpy.run_path(str(ROOT / "tests" / "lessons" / lesson.name / "guesses.py"))["GUESSES"]
    stored = {name: path for name, path in notebooks().items() if path.stem == lesson.file}
    assert len(stored) == 2 * len(LANGUAGES)
    contradicted = []
    for notebook, path in stored.items():
        with speaking(notebook.partition("-")[0], lesson.folder):
            for name, cell in activity.results(read(path)).items():
                asked = lesson.predictions()[name]
                if (found := stored_results.result(cell, asked)) is not None:
                    contradicted += [
                        f"{notebook}: {name}: {guess} is {marks}, where {found} was measured"
                        for guess, wrong in zip(guesses[name][:2], (True, False), strict=True)
                        if ("✗" in (marks := judged(asked, guess, found))) != wrong
                    ]
    assert contradicted == []


def judged(asked: Prediction, guess: Any, measured: Any) -> str:
    return "".join(outcome.mark for outcome in asked.outcomes(guess, measured))


def test_a_stored_result_that_contradicts_its_question_is_seen() -> None:
    asked = Prediction("share", "Share that needs a core", "%", by=Share(points=12))
    assert judged(asked, 36, 51) == "✗" and judged(asked, 36, 40) == "≈"


def test_the_machine_and_the_day_are_said() -> None:
    notebook = read(ROOT / "notebooks" / "01_workers.ipynb")
    machine = stored_results.machine(notebook)
    assert "Cores" in machine and "PyTorch" in machine and "\n" not in machine
    assert date.fromisoformat(stored_results.day(notebook)) <= date.today()
    (asked,) = [p for p in course.lesson("workers").predictions().values() if p.name == "wait"]
    assert stored_results.stamp(asked, machine, "2026-11-25").endswith(machine)

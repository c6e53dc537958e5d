"""The results that pages show beside a bet are those that the committed notebooks show, in every language."""

from __future__ import annotations

from datetime import date

import pytest

from loaderlab import course
from loaderlab.course.prediction import Prediction
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.publish import activity, stored_results
from loaderlab.publish.notebook import read
from places import ROOT, STUDENT_FOLDERS


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


def test_the_machine_and_the_day_are_said() -> None:
    notebook = read(ROOT / "notebooks" / "01_workers.ipynb")
    machine = stored_results.machine(notebook)
    assert "Cores" in machine and "PyTorch" in machine and "\n" not in machine
    assert date.fromisoformat(stored_results.day(notebook)) <= date.today()
    (asked,) = [p for p in course.lesson("workers").predictions().values() if p.name == "wait"]
    assert stored_results.stamp(asked, machine, "2026-11-25").endswith(machine)

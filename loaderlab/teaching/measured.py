"""The measurements of the course's own notebooks, where a guess had been asked for."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from loaderlab.course import Lesson
from loaderlab.course.comparison import BET
from loaderlab.course.prediction import Guess, Prediction
from loaderlab.i18n.language import translate as _
from loaderlab.publish.checkout import EXERCISES, with_notebooks


def of(lesson: Lesson, language: str) -> dict[str, Guess]:
    """Return what the stored notebook of a lesson measured, by the name of the prediction; nothing where there are no notebooks."""
    checkout = with_notebooks(language)
    if checkout is None:
        return {}
    said = _read(checkout.notebook(lesson, language, EXERCISES))
    return {
        name: prediction.formed(said[name])
        for name, prediction in lesson.predictions().items()
        if name in said and (not prediction.choices or said[name] in prediction.choices)
    }


def written(prediction: Prediction, found: Guess) -> str:
    """Return it as the lesson shows it, with the name of each place."""
    if not prediction.places:
        return prediction.written(found)
    return " · ".join(
        f"{_(place)}: {prediction.written(value)}"
        for place, value in zip(prediction.places, found, strict=True)
    )


@lru_cache
def _read(file: Path) -> dict[str, Any]:
    cells = json.loads(file.read_text("utf-8"))["cells"] if file.is_file() else []
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    return {data[BET]["name"]: data[BET]["measured"] for data in outputs if BET in data}

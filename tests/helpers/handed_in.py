"""Notebooks as a class hands them in: a student notebook with answers in its cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loaderlab import course
from places import notebooks


def student(lesson: str, answers: Mapping[str, str], language: str = "en") -> dict[str, Any]:
    """Return the student notebook of a lesson, with these sources in the answer cells of these exercises."""
    path = notebooks()[f"{language}-student-{course.lesson(lesson).file}"]
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        name = cell.get("id", "").removeprefix("answer-")
        if name in answers:
            cell["source"] = answers[name]
    return notebook


def solutions(lesson: str) -> dict[str, str]:
    """Return the right answer to every exercise of a lesson: exercise -> source of its cell."""
    path = notebooks()[f"en-solution-{course.lesson(lesson).file}"]
    cells = json.loads(path.read_text("utf-8"))["cells"]
    named = {cell.get("id", "").removeprefix("answer-"): cell for cell in cells}
    return {name: "".join(named[name]["source"]) for name in course.lesson(lesson).exercises()}


def hand_in(folder: Path, name: str, notebook: Mapping[str, Any]) -> Path:
    """Write a notebook as a student would hand it in."""
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    return path

"""The signposts of lesson 0 to the others, generated in English from LESSON of each and from the paths: its map and two tables.

Its catalogs translate them like the rest of the lesson.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loaderlab.course import Lesson, course_map, outline
from loaderlab.course.paths import PATHS, CoursePath
from loaderlab.publish import regions
from loaderlab.publish.checkout import Checkout


def files(checkout: Checkout) -> dict[Path, str]:
    """Return the files of lesson 0 that have something generated in them, and what they should be; none without that lesson."""
    lessons = checkout.lessons
    first = next((lesson for lesson in lessons if lesson.number == 0), None)
    if first is None:
        return {}
    path = first.folder / "lesson.md"
    text = path.read_text("utf-8")
    for name, content in (("symptoms", _symptoms(lessons)), ("paths", _paths(lessons))):
        text = regions.put(text, name, content)
    return {path: text, checkout.diagram(course_map.NAME, "en"): course_map.svg(lessons)}


def _symptoms(lessons: Sequence[Lesson]) -> str:
    """Return a row for each lesson that says whom it helps."""
    rows = (
        f"| {lesson.symptom} | [{outline.read(lesson).name}]({lesson.file}.ipynb) |"
        for lesson in lessons
        if lesson.symptom
    )
    return "\n".join(["| What you see, or want to know | Lesson |", "|---|---|", *rows])


def _paths(lessons: Sequence[Lesson]) -> str:
    """Return a row for each path: the time that one has, what to take, and the minutes that takes."""
    outlines = [outline.read(lesson) for lesson in lessons]
    rows = (f"| {path.time} | {_take(path, lessons)} | {path.minutes(outlines).way} |" for path in PATHS)
    return "\n".join(["| You have | Take | Minutes |", "|---|---|---|", *rows])


def _take(path: CoursePath, lessons: Sequence[Lesson]) -> str:
    if not path.lessons:
        return "all lessons"
    first, *others = path.taken(lessons)
    if not path.sections:
        return _listed("lesson", [lesson.number for lesson in (first, *others)])
    minutes = path.minutes_of_sections(outline.read(first))
    # The cells of the opening are quickly run, and define what the sections use.
    begin = (
        f"the cells of the opening and {_listed('section', path.sections)} of this lesson ({minutes} minutes)"
    )
    then = _listed("lesson", [lesson.number for lesson in others]) if others else ""
    return f"{begin}, then {then}" if then else begin


def _listed(noun: str, numbers: Sequence[int]) -> str:
    """Return what is numbered, as English says it: "lesson 1", "lessons 0, 1 and 8"."""
    *several, last = map(str, numbers)
    return f"{noun}s {', '.join(several)} and {last}" if several else f"{noun} {last}"

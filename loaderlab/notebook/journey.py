"""The map of the course with what is done, as the learner's folder remembers it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from loaderlab.course import Lesson, lessons
from loaderlab.notebook import progress, session
from loaderlab.notebook.diagrams import Diagram
from loaderlab.words.language import translate as _

_NUMBER = r'<text x="\d+" y="\d+" font-weight="bold">{number}</text>'
_BOX = r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="66"'
DONE, BEGUN = "#007a59", "#666666"


@dataclass(frozen=True)
class Stage:
    """How far a learner is in a lesson: its points, and those that there are."""

    lesson: Lesson
    points: int
    most: int

    @property
    def done(self) -> bool:
        return self.points >= self.most


def reached(course_map: Diagram) -> Diagram:
    """The map of the course, on which each lesson that was begun has its points, and a ✓ where that is all of them.

    Where nothing is remembered (a clone, Colab, the web) it is the map as it was.
    """
    folder = session.current().folder
    stages = [
        stage
        for lesson in lessons()
        if folder and (stage := _stage(lesson, progress.recall(folder, lesson.name)))
    ]
    if not stages:
        return course_map
    svg = course_map.svg
    for stage in stages:
        svg = _marked(svg, stage)
    told = [_told(_("Done: lessons {which}."), [stage for stage in stages if stage.done])]
    told.append(_told(_("Begun: lessons {which}."), [stage for stage in stages if not stage.done]))
    return replace(course_map, svg=svg, text=" ".join(filter(None, [course_map.text, *told])))


def _stage(lesson: Lesson, remembered: dict[str, dict[str, int]]) -> Stage | None:
    if not remembered:
        return None
    exercises = lesson.exercises()
    points = sum(points for name, points in remembered.get("points", {}).items() if name in exercises)
    return Stage(lesson, points, sum(exercise.points for exercise in exercises.values()))


def _marked(svg: str, stage: Stage) -> str:
    """A badge on the upper edge of the lesson's box, at the right, where no title is too long for it."""
    place = re.search(_NUMBER.format(number=stage.lesson.number), svg)
    if place is None:
        return svg
    left, middle, width = map(int, re.findall(_BOX, svg[: place.start()])[-1])
    right = left + width - 12
    words = f"{'✓ ' if stage.done else ''}{stage.points}/{stage.most}"
    wide = 9 * len(words) + 12
    colour = DONE if stage.done else BEGUN
    badge = (
        f'<rect x="{right - wide}" y="{middle - 10}" width="{wide}" height="20" rx="10" '
        f'fill="{colour if stage.done else "#ffffff"}" stroke="{colour}"/>'
        f'<text x="{right - wide / 2:g}" y="{middle + 5}" font-size="13" text-anchor="middle" '
        f'fill="{"#ffffff" if stage.done else "#222222"}">{words}</text>'
    )
    return svg.replace("</svg>", f"{badge}</svg>")


def _told(words: str, stages: list[Stage]) -> str:
    named = ", ".join(f"{stage.lesson.number} ({stage.points}/{stage.most})" for stage in stages)
    return words.format(which=named) if stages else ""

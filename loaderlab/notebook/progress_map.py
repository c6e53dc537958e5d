"""The map of the course with what is done, as the learner's folder remembers it."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw, ImageFont

from loaderlab.course import Lesson, lessons
from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import fonts
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import progress, session
from loaderlab.notebook.diagrams import FOLDER, Diagram

# The boxes are at the same places in all languages.
PLACES = FOLDER / "start_here_map.svg"
_WIDTH = r'viewBox="0 0 (\d+) \d+"'
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


def reached(course_map: Picture | Diagram) -> Picture | Diagram:
    """The map of the course, on which each lesson that was begun has its points, and a ✓ where that is all of them.

    Where nothing is remembered (a clone, Colab, the web) it is the map as it was.
    """
    folder = session.current().folder
    stages = [
        stage
        for lesson in lessons()
        if folder and (stage := _stage(lesson, progress.recall(folder, lesson.name)))
    ]
    if not stages or isinstance(course_map, Diagram):
        return course_map
    told = [_told(_("Done: lessons {which}."), [stage for stage in stages if stage.done])]
    told.append(_told(_("Begun: lessons {which}."), [stage for stage in stages if not stage.done]))
    text = " ".join(filter(None, [course_map.text, *told]))
    return replace(course_map, png=_marked(course_map.png, stages), text=text)


def _stage(lesson: Lesson, remembered: dict[str, dict[str, int]]) -> Stage | None:
    if not remembered:
        return None
    exercises = lesson.exercises()
    points = sum(points for name, points in remembered.get("points", {}).items() if name in exercises)
    return Stage(lesson, points, sum(exercise.points for exercise in exercises.values()))


def places() -> dict[int, tuple[int, int]]:
    """The upper right corner of each lesson's box on the map, by the lesson's number."""
    svg, found = PLACES.read_text("utf-8"), {}
    for lesson in lessons():
        if number := re.search(_NUMBER.format(number=lesson.number), svg):
            left, top, width = map(int, re.findall(_BOX, svg[: number.start()])[-1])
            found[lesson.number] = left + width, top
    return found


def _marked(png: bytes, stages: list[Stage]) -> bytes:
    """A badge on the upper edge of each lesson's box, at the right, where no title is too long for it."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    draw, corners = ImageDraw.Draw(image), places()
    width = re.search(_WIDTH, PLACES.read_text("utf-8"))
    scale = image.width / int(width[1]) if width else 1.0
    font = ImageFont.truetype(str(fonts()[0]), round(12 * scale))
    for stage in (stage for stage in stages if stage.lesson.number in corners):
        right, top = corners[stage.lesson.number]
        words = f"{'✓ ' if stage.done else ''}{stage.points}/{stage.most}"
        x1 = (right - 12) * scale
        x0 = x1 - font.getlength(words) - 16 * scale
        box = (x0, (top - 10) * scale, x1, (top + 10) * scale)
        colour = DONE if stage.done else BEGUN
        draw.rounded_rectangle(box, 10 * scale, colour if stage.done else "white", colour, round(scale))
        draw.text(
            ((x0 + x1) / 2, top * scale), words, "white" if stage.done else "#222222", font, anchor="mm"
        )
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _told(words: str, stages: list[Stage]) -> str:
    named = ", ".join(f"{stage.lesson.number} ({stage.points}/{stage.most})" for stage in stages)
    return words.format(which=named) if stages else ""

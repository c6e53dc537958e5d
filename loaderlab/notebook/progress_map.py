"""The map of the course with what is done, as the learner's folder remembers it."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from loaderlab.course import Lesson, course_map, lessons
from loaderlab.drawing import Bitmap, Picture
from loaderlab.drawing.png import fonts
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import progress, session
from loaderlab.notebook.diagrams import Diagram

DONE, BEGUN = "#007a59", "#666666"


@dataclass(frozen=True)
class Stage:
    """A learner's stage in a lesson: points so far, and all that there are."""

    lesson: Lesson
    points: int
    most: int

    @property
    def done(self) -> bool:
        return self.points >= self.most


def reached(plain: Picture | Diagram) -> Picture | Diagram:
    """Return the map of the course, on which each lesson that was begun has its points, and a ✓ where that is all of them.

    Where nothing is remembered (a clone, Colab, the web) it is the map as it was.
    """
    folder = session.current().folder
    stages = [
        stage
        for lesson in lessons()
        if folder and (stage := _stage(lesson, progress.recall(folder, lesson.name)))
    ]
    if not stages or isinstance(plain, Diagram):
        return plain
    told = [_told(_("Done: lessons {which}."), [stage for stage in stages if stage.done])]
    told.append(_told(_("Begun: lessons {which}."), [stage for stage in stages if not stage.done]))
    text = " ".join(filter(None, [plain.text, *told]))
    return Picture(Bitmap(_marked(plain.png, stages)), text)


def _stage(lesson: Lesson, remembered: dict[str, dict[str, int]]) -> Stage | None:
    if not remembered:
        return None
    exercises = lesson.exercises()
    points = sum(points for name, points in remembered.get("points", {}).items() if name in exercises)
    return Stage(lesson, points, sum(exercise.points for exercise in exercises.values()))


def places() -> dict[int, tuple[int, int]]:
    """Return the upper right corner of each lesson's box on the map, by the lesson's number; it is the same in all languages."""
    return {box.lesson.number: (box.right, box.top) for box in course_map.boxes(lessons())}


def _marked(png: bytes, stages: list[Stage]) -> bytes:
    """Return a badge on the upper edge of each lesson's box, at the right, where no title is too long for it."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    draw, corners = ImageDraw.Draw(image), places()
    scale = image.width / course_map.WIDTH
    font = ImageFont.truetype(str(fonts()[0]), round(12 * scale))
    for stage in stages:
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

"""The outline of a lesson: its sections and exercises in their order, and the minutes that each takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import mark, messages
from loaderlab.i18n.language import translate as _

_BREAK = re.compile(r"\+\+\+\s*(\{.*\})?\s*")  # between two cells, with what is said of the second
_FENCE = re.compile(r"(`{3,}|~{3,})")


@dataclass(frozen=True)
class Part:
    """A section of a lesson, or an exercise (``exercise``: its name, else empty), and how many minutes it takes.

    The minutes of a section are for its prediction, its cells, its text and the talk about it; those of the
    first one cover title and set-up, too. A section that only leads to exercises takes 0. One that goes deeper is not on
    the way through the lesson: nothing else needs it.
    """

    heading: str
    minutes: int
    exercise: str = ""
    deeper: bool = False


MINUTES = mark("Minutes: the lesson itself + what goes deeper in it + its exercises.")


class Minutes(NamedTuple):
    """The minutes of a lesson, or of several: of the way, of what goes deeper, of the exercises."""

    way: int
    deeper: int = 0
    exercises: int = 0

    def __str__(self) -> str:
        return "\u00a0+\u00a0".join(map(str, self))  # on one line, also in a narrow column


@dataclass(frozen=True)
class Outline:
    """A lesson's title and parts, in one language."""

    lesson: Lesson
    title: str
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """Number and first words of the title, as in "1 Workers"."""
        return f"{self.lesson.number} {self.title.partition(':')[0].strip()}"

    @property
    def sections(self) -> list[Part]:
        """The parts on the way that are no exercises."""
        return [part for part in self.parts if not part.exercise and not part.deeper]

    @property
    def deeper(self) -> list[Part]:
        """The parts that go deeper."""
        return [part for part in self.parts if part.deeper]

    @property
    def exercises(self) -> list[Part]:
        """The parts that are exercises."""
        return [part for part in self.parts if part.exercise]

    @property
    def minutes(self) -> Minutes:
        """The minutes of the lesson, as ``LESSON`` says those of its way."""
        deeper, exercises = (sum(part.minutes for part in parts) for parts in (self.deeper, self.exercises))
        return Minutes(self.lesson.minutes, deeper, exercises)


def read(lesson: Lesson, language: str = "en") -> Outline:
    """Return the outline of a lesson; raises :class:`LabError` where a section of lesson.md does not say its minutes."""
    texts = messages(language, lesson.folder)
    title, parts = "", []
    for heading, metadata in _headings(lesson):
        text = texts.get(heading.lstrip("# "), heading.lstrip("# "))
        if name := metadata.get("exercise"):
            parts.append(Part(text, lesson.exercises()[name].minutes, name))
        elif heading.startswith("## ") or "minutes" in metadata:
            deeper = bool(metadata.get("deeper"))
            parts.append(Part(text, _minutes(lesson, heading, metadata), deeper=deeper))
        elif heading.startswith("# "):
            title = text
    return Outline(lesson, title, tuple(parts))


def _minutes(lesson: Lesson, heading: str, metadata: dict[str, Any]) -> int:
    minutes = metadata.get("minutes")
    if type(minutes) is not int or minutes < 0:
        raise LabError(
            _(
                "{file}: the section {heading!r} does not say how many minutes it takes. Expected: a line such "
                'as `+++ {{"minutes": 5}}` before its heading (0 if it only leads to exercises). Add it, or '
                "correct it."
            ).format(file=f"{lesson.name}/lesson.md", heading=heading.lstrip("# "))
        )
    return minutes


def _headings(lesson: Lesson) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each heading outside fences, and what the line ``+++ {…}`` said that it is the first one after.

    The ground floor has no jupytext, which only authors install; and this much of MyST is quickly read.
    """
    fence, metadata = "", dict[str, Any]()
    for line in (lesson.folder / "lesson.md").read_text("utf-8").split("\n"):
        if fence:
            fence = "" if line.strip() == fence else fence
        elif found := _FENCE.match(line):
            fence = found[1]
        elif found := _BREAK.fullmatch(line):
            metadata = json.loads(found[1] or "{}")
        elif re.match(r"#{1,6} ", line):
            yield line.rstrip(), metadata
            metadata = {}

"""The paths through the course: which lessons to take in the time that one has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loaderlab.course.outline import Minutes, Outline
from loaderlab.course.syllabus import Lesson
from loaderlab.i18n.language import mark


@dataclass(frozen=True)
class CoursePath:
    """A path through the course, for whom has so much ``time``.

    ``lessons``: their names, in the order of the course; empty where it takes all. ``sections``: of the first of them, only the
    sections with these numbers; empty where it takes the lesson whole.
    """

    time: str
    lessons: tuple[str, ...] = ()
    sections: tuple[int, ...] = ()

    def taken(self, lessons: Sequence[Lesson]) -> list[Lesson]:
        """Return those of the lessons that are on the path."""
        return [lesson for lesson in lessons if not self.lessons or lesson.name in self.lessons]

    def minutes(self, outlines: Sequence[Outline]) -> Minutes:
        """Return the minutes of the path, of the ``outlines`` of all lessons. Of one that it does not take whole, only the way."""
        first, *others = [each for each in outlines if not self.lessons or each.lesson.name in self.lessons]
        begun = Minutes(self.minutes_of_sections(first)) if self.sections else first.minutes
        return Minutes(*map(sum, zip(begun, *(each.minutes for each in others), strict=True)))

    def minutes_of_sections(self, outline: Outline) -> int:
        """Return the minutes of ``sections``, which are some of this lesson's."""
        return sum(outline.sections[number - 1].minutes for number in self.sections)


# The shortest one first: `timetable.by_preference` begins with its lessons.
PATHS = (
    CoursePath(mark("one hour"), ("start_here", "workers"), sections=(5, 6)),
    CoursePath(mark("half a day"), ("start_here", "workers", "find_the_bottleneck")),
    CoursePath(
        mark("a whole day"), ("start_here", "workers", "copy_on_write", "ddp_sampling", "find_the_bottleneck")
    ),
    CoursePath(mark("two days")),
)

"""The paths through the course: which lessons to take in the time that one has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loaderlab.course import outline
from loaderlab.course.outline import Minutes
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

    def minutes(self, lessons: Sequence[Lesson]) -> int:
        """Return the minutes of the path, without what goes deeper, exercises and breaks."""
        first, *others = self.taken(lessons)
        begun = self.minutes_of_sections(first) if self.sections else first.minutes
        return begun + sum(lesson.minutes for lesson in others)

    def all_minutes(self, lessons: Sequence[Lesson]) -> Minutes:
        """Return the minutes of the path with those of what goes deeper and of the exercises, of lessons that it takes whole."""
        whole = self.taken(lessons)[1 if self.sections else 0 :]
        each = [outline.read(lesson).minutes for lesson in whole]
        return Minutes(self.minutes(lessons), sum(m.deeper for m in each), sum(m.exercises for m in each))

    def minutes_of_sections(self, lesson: Lesson) -> int:
        """Return the minutes of ``sections``, which are some of this lesson's."""
        sections = outline.read(lesson).sections
        return sum(sections[number - 1].minutes for number in self.sections)


# The shortest one first: `timetable.by_preference` begins with its lessons.
PATHS = (
    CoursePath(mark("one hour"), ("start_here", "workers"), sections=(5, 6)),
    CoursePath(mark("half a day"), ("start_here", "workers", "pin_memory", "find_the_bottleneck")),
    CoursePath(mark("a whole day")),
)

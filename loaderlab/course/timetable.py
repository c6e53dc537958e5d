"""A timetable: which lessons and exercises fit into so many hours, and when there is a break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from loaderlab.course import Lesson
from loaderlab.course.outline import Outline, Part
from loaderlab.course.paths import PATHS
from loaderlab.i18n.language import mark

BEGINNING, PAUSE, SHORT_PAUSE, LUNCH_TIME = 20, 15, 10, 60  # minutes
LONGEST = 90  # minutes without a break, at most
WITHOUT_LUNCH = 5 * 60  # minutes of the longest day that has none
# Minutes of a day that loses none on its beginning, and few on breaks: whoever comes has installed the course.
SHORT = 2 * 60

# What a line is.
WORK, BREAK, LUNCH = "", mark("Break"), mark("Lunch")
WELCOME = mark("Welcome: who is here, and does lesson 0 open on every machine?")
SLACK = mark("Time in reserve, for latecomers and questions")
QUESTIONS = mark("Questions and unfinished exercises")

_PRACTICE = 1  # exercises of a lesson, where they fit, before another lesson is taken
_FEW = 2  # lessons, until which another one is better than an exercise
_FRESH = 30  # minutes after which nobody needs a break yet
_IN_HAND = 5  # minutes before each break
_RESERVE = 16  # one minute of so many is kept for questions: a day without any runs late
_NOON = 0.4  # of the day: lunch is the first break after it, where nobody says when
_EARLY = 45  # minutes that lunch may come before the time that is asked for, so that no lesson is cut in two
_TALK = 30  # minutes of questions, at most


@dataclass(frozen=True)
class Line:
    """A part of a lesson, questions, or a break (``kind``); ``start`` counts minutes from the beginning of the day."""

    start: int
    minutes: int
    kind: str = WORK
    outline: Outline | None = None
    part: Part | None = None

    @property
    def end(self) -> int:
        """The minute of the day in which the next line begins."""
        return self.start + self.minutes


def by_preference(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Return the lessons, those first that a short workshop takes first.

    These are the ones of the shortest path through the course (`paths.PATHS`); then the last lesson of the next path, for
    which the others prepare; then the others of the longer paths.
    """
    shortest, *longer = ([lesson.name for lesson in path.taken(lessons)] for path in PATHS)
    wanted = [*shortest, *longer[0][-1:], *(name for names in longer for name in names)]
    return sorted(lessons, key=lambda lesson: (wanted.index(lesson.name), lesson.number))


def plan(outlines: Sequence[Outline], minutes: int, noon: int | None = None) -> list[Line]:
    """Return a day of at most so many minutes, filled with those of these lessons (the preferred first) that fit.

    Lessons come in the order of the course, with an exercise at least, the easiest; where hardly two fit, they may have none.
    ``noon``: the minute of the day at which lunch is wanted; else it is about the middle of a day that is long enough.
    """
    if noon is None and minutes > WITHOUT_LUNCH:
        noon = round(_NOON * minutes) + _EARLY
    taken: dict[str, int] = {}  # lesson -> how many of its exercises
    day: list[Line] = []

    def take(outline: Outline, exercises: int) -> None:
        nonlocal taken, day
        wanted = taken | {outline.lesson.name: exercises}
        found = _day(outlines, wanted, minutes, noon)
        if found[-1].end <= minutes:
            taken, day = wanted, found

    for count in range(_PRACTICE, -1, -1):
        for outline in outlines:
            if outline.lesson.name not in taken and (count == _PRACTICE or len(taken) < _FEW):
                take(outline, count)
    for count in range(_PRACTICE, 1 + max(len(outline.exercises) for outline in outlines)):
        for outline in outlines:  # the second exercises of all lessons, then the third ones
            if taken.get(outline.lesson.name, count) < count:
                take(outline, count)
    *lines, talk = day
    begun = max((line.end for line in lines if line.kind in (BREAK, LUNCH)), default=0)
    return [*lines, replace(talk, minutes=min(_TALK, minutes - talk.start, begun + LONGEST - talk.start))]


def _day(outlines: Sequence[Outline], taken: dict[str, int], minutes: int, noon: int | None) -> list[Line]:
    """Return the lessons with so many exercises, with breaks, and the time that is kept for questions at the end."""
    work = [Line(0, BEGINNING, WELCOME)] if minutes > SHORT else []
    for outline in sorted(outlines, key=lambda outline: outline.lesson.number):
        if outline.lesson.name in taken:
            chosen = [*outline.sections, *_easiest(outline)[: taken[outline.lesson.name]]]
            parts = (part for part in outline.parts if part in chosen and part.minutes)
            work += [Line(0, part.minutes, WORK, outline, part) for part in parts]
    day: list[Line] = []
    now = begun = 0  # when the next line begins; when the last break ended
    for at, line in enumerate([*work, Line(0, minutes // _RESERVE, QUESTIONS)]):
        ahead = line.minutes
        rest = sum(each.minutes for each in work[at:] if each.outline is line.outline)
        # Rather a break between two lessons than within the second.
        if now - begun > _FRESH and line.outline is not day[-1].outline:
            ahead = sum(each.minutes for each in work if each.outline is line.outline) or ahead
        if now + min(ahead, LONGEST) - begun > LONGEST - 2 * _IN_HAND and not 0 < rest <= _IN_HAND:
            hungry = noon is not None and now >= noon - _EARLY and all(each.kind != LUNCH for each in day)
            day.append(Line(now, _IN_HAND, SLACK))
            pause = PAUSE if minutes > SHORT else SHORT_PAUSE
            what = (LUNCH_TIME, LUNCH) if hungry and line.kind != QUESTIONS else (pause, BREAK)
            day.append(Line(day[-1].end, *what))
            now = begun = day[-1].end
        day.append(replace(line, start=now))
        now += line.minutes
    return day


def _easiest(outline: Outline) -> list[Part]:
    """Return the exercises of a lesson, those first that are easiest and shortest; one that follows another counts both."""
    known = outline.lesson.exercises()

    def effort(name: str) -> tuple[int, int]:
        exercise = known[name]
        difficulty, minutes = effort(exercise.follows) if exercise.follows else (0, 0)
        return max(difficulty, exercise.difficulty), minutes + exercise.minutes

    return sorted(outline.exercises, key=lambda part: effort(part.exercise))

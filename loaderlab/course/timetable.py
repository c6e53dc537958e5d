"""A timetable: which lessons and exercises fit into so many hours, and when there is a break."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from loaderlab.course import Lesson
from loaderlab.course.outline import Outline, Part
from loaderlab.course.paths import PATHS
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _

PAUSE, LUNCH_TIME = 10, 60  # minutes, at least
LONGEST = 90  # minutes without a break, at most
WITHOUT_LUNCH = 5 * 60  # minutes of the longest day that has none
SHORTEST_DAY, LONGEST_DAY = 60, 12 * 60

# What a line is.
WORK, BREAK, LUNCH = "", mark("Break"), mark("Lunch")
QUESTIONS = mark("Questions and unfinished exercises")

_RESERVE = 16  # one minute of so many is kept for questions: a day without any runs late
_PRACTICE = 2  # exercises without which a lesson is not taken, unless it is the only one
_MOST_TALK = 5  # one minute of so many for questions is enough, where a lesson is left
_EARLY = 40  # minutes after which the end of a lesson is a better place for a break than a later one within a lesson
_TALK = 5, 30  # minutes of one stretch of questions


@dataclass(frozen=True)
class Line:
    """A part of a lesson, or a break (``kind``); ``start`` counts minutes from the beginning of the day."""

    kind: str
    minutes: int
    outline: Outline | None = None
    part: Part | None = None
    start: int = 0


@dataclass(frozen=True)
class Timetable:
    """The lines of a day, in their order and without a gap, and what is left for homework."""

    lines: tuple[Line, ...]
    homework: tuple[tuple[Outline, tuple[Part, ...]], ...]

    @property
    def minutes(self) -> int:
        """All minutes of the day."""
        return sum(line.minutes for line in self.lines)

    def blocks(self) -> list[list[Line]]:
        """Return the lines, those of one lesson between two breaks together."""
        return [list(lines) for _key, lines in groupby(self.lines, lambda line: (line.kind, line.outline))]


def by_preference(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Return the lessons, those first that a short workshop takes first.

    These are the ones of the shortest path through the course (`paths.PATHS`); then the last lesson of the next path, for
    which the others prepare; then the others of the longer paths.
    """
    shortest, *longer = ([lesson.name for lesson in path.taken(lessons)] for path in PATHS)
    wanted = [*shortest, *longer[0][-1:], *(name for names in longer for name in names)]
    return sorted(lessons, key=lambda lesson: (wanted.index(lesson.name), lesson.number))


def plan(outlines: Sequence[Outline], minutes: int) -> Timetable:
    """Return a day of so many minutes, filled with those of these lessons (the preferred first) that fit.

    Lessons come in the order of the course, and take up the day exactly: what is left over is for questions, for
    which any lesson or exercise after the first lesson leaves some minutes.
    Raises :class:`LabError` for a day too short or too long.
    """
    if not SHORTEST_DAY <= minutes <= LONGEST_DAY:
        raise LabError(
            _(
                "A workshop of {hours} hours cannot be planned. Expected: {least} to {most} hours. Give such a "
                "number, and plan longer workshops day by day, with their lessons."
            ).format(
                hours=number(minutes / 60, 1),
                least=number(SHORTEST_DAY / 60),
                most=number(LONGEST_DAY / 60),
            )
        )
    found = _plan(outlines, minutes, _PRACTICE)
    for practice in reversed(range(_PRACTICE)):
        # Rather a lesson with fewer exercises than an hour without any.
        if not found.homework or _talk(found.lines) <= minutes // _MOST_TALK:
            break
        found = min(found, _plan(outlines, minutes, practice), key=lambda day: _talk(day.lines))
    return found


def _talk(lines: Iterable[Line]) -> int:
    return sum(line.minutes for line in lines if line.kind == QUESTIONS)


def _plan(outlines: Sequence[Outline], minutes: int, least: int) -> Timetable:
    """Return the day where no lesson but the only one has fewer exercises than ``least``, or than it has."""
    taken: dict[str, int] = {}  # lesson -> how many of its exercises
    day: list[Line] = []

    def take(outline: Outline, exercises: int) -> bool:
        nonlocal taken, day
        wanted = taken | {outline.lesson.name: exercises}
        found = _day(_work(outlines, wanted), minutes)
        if found is None or (taken and _talk(found) < minutes / _RESERVE):
            return False
        taken, day = wanted, found
        return True

    for outline in outlines:
        practice = min(least, len(outline.exercises))
        if not take(outline, practice) and not taken:
            any(take(outline, fewer) for fewer in range(practice - 1, -1, -1))
    for count in range(1, 1 + max(len(outline.exercises) for outline in outlines)):
        for outline in outlines:  # the first exercises of all lessons, then the second ones
            if taken.get(outline.lesson.name) == count - 1 and count <= len(outline.exercises):
                take(outline, count)
    if not taken:
        raise LabError(
            _(
                "No lesson fits into {minutes} minutes: the first one takes {needed}. Give more hours, or another "
                "lesson."
            ).format(minutes=minutes, needed=outlines[0].lesson.minutes)
        )
    left = ((outline, _left(outline, taken)) for outline in sorted(outlines, key=_place))
    return Timetable(tuple(day), tuple((outline, parts) for outline, parts in left if parts))


def _place(outline: Outline) -> int:
    return outline.lesson.number


def _left(outline: Outline, taken: dict[str, int]) -> tuple[Part, ...]:
    if outline.lesson.name not in taken:
        return tuple(part for part in outline.parts if part.minutes and not part.deeper)
    return tuple(outline.exercises[taken[outline.lesson.name] :])


def _work(outlines: Sequence[Outline], taken: dict[str, int]) -> list[Line]:
    lines = []
    for outline in sorted(outlines, key=_place):
        if outline.lesson.name in taken:
            chosen = [*outline.sections, *outline.exercises[: taken[outline.lesson.name]]]
            lines += [
                Line(WORK, part.minutes, outline, part)
                for part in outline.parts
                if part in chosen and part.minutes
            ]
    return lines


def _day(work: list[Line], minutes: int) -> list[Line] | None:
    """Return the work with breaks, and with questions at its end, in exactly so many minutes; None where it does not fit."""
    day = _with_breaks(work, minutes)
    while (left := minutes - _total(day)) >= (_TALK[0] if _pauses(day) else 1):
        talks = ([*work, Line(QUESTIONS, talk)] for talk in range(min(left, _TALK[1]), 0, -1))
        longer = next((talk for talk in talks if _total(_with_breaks(talk, minutes)) <= minutes), None)
        if longer is None:  # the shortest talk would need a break before it, for which there is no time
            break
        work, day = longer, _with_breaks(longer, minutes)
    day = _joined(day)
    if left > 0 and not _pauses(day) and day[-1].kind == QUESTIONS and day[-1].minutes + left > PAUSE:
        talk = replace(day[-1], minutes=day[-1].minutes + left - PAUSE)
        return _clocked([*day[:-1], Line(BREAK, PAUSE), talk])
    if left < 0 or (left and not _pauses(day)):
        return None
    for extra in range(left):
        place = _pauses(day)[extra % len(_pauses(day))]
        day[place] = replace(day[place], minutes=day[place].minutes + 1)
    return _clocked(day)


def _pauses(day: Sequence[Line]) -> list[int]:
    return [place for place, line in enumerate(day) if line.kind in (BREAK, LUNCH)]


def _with_breaks(work: Sequence[Line], minutes: int) -> list[Line]:
    stretches = _stretches(work)
    ends = list(accumulate(_total(stretch) for stretch in stretches))[:-1]
    day = [line for stretch in stretches[:1] for line in stretch]
    noon = (
        min(range(len(ends)), key=lambda gap: abs(2 * (ends[gap] + PAUSE * gap) + LUNCH_TIME - minutes))
        if ends and minutes > WITHOUT_LUNCH
        else None
    )
    for gap, stretch in enumerate(stretches[1:]):
        day += [Line(LUNCH, LUNCH_TIME) if gap == noon else Line(BREAK, PAUSE), *stretch]
    return day


def _stretches(work: Sequence[Line]) -> list[list[Line]]:
    """Return the work, cut where there is a break: where a lesson ends, if that is not too early."""
    stretches, rest = [], list(work)
    while rest:
        ends_after = list(accumulate(line.minutes for line in rest))
        count = max(1, sum(minutes <= LONGEST for minutes in ends_after))
        if count < len(rest):
            ends = (n for n in range(count, 0, -1) if rest[n].outline != rest[n - 1].outline)
            count = next((n for n in ends if ends_after[n - 1] >= _EARLY), count)
        stretches.append(rest[:count])
        rest = rest[count:]
    return stretches


def _joined(day: Sequence[Line]) -> list[Line]:
    joined: list[Line] = []
    for line in day:
        if joined and line.kind == joined[-1].kind == QUESTIONS:
            joined[-1] = replace(joined[-1], minutes=joined[-1].minutes + line.minutes)
        else:
            joined.append(line)
    return joined


def _clocked(day: Sequence[Line]) -> list[Line]:
    starts = accumulate((line.minutes for line in day), initial=0)
    return [replace(line, start=start) for line, start in zip(day, starts, strict=False)]


def _total(lines: Iterable[Line]) -> int:
    return sum(line.minutes for line in lines)

"""A timetable for a workshop: which lessons and exercises fit, with clock times and breaks."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence

from loaderlab import course
from loaderlab.course import outline, timetable
from loaderlab.course.outline import Part
from loaderlab.course.timetable import Timetable
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab agenda`."""
    parser.add_argument("--hours", type=_hours, required=True, help="length of the day, with its breaks")
    parser.add_argument("--start", default="09:00", metavar="HH:MM", help="when it begins (default: 09:00)")
    parser.add_argument("--lessons", nargs="+", metavar="LESSON", help="choose among these lessons only")
    parser.add_argument("--markdown", action="store_true", help="as a Markdown table")
    # Suppressed where it is not given: `loaderlab --language fr agenda` counts, too.
    parser.add_argument("--language", choices=language.LANGUAGES, default=argparse.SUPPRESS, help="language")


def run(options: argparse.Namespace) -> int:
    """Print the timetable."""
    start = _minute(options.start)
    day = propose(round(60 * options.hours), options.lessons)
    print(as_markdown(day, start) if options.markdown else as_text(day, start))
    return 0


def propose(minutes: int, names: Sequence[str] | None = None) -> Timetable:
    """Return a day with those of the lessons of these names, or of all, that fit, in the language spoken now."""
    chosen = [course.lesson(name) for name in names or [lesson.name for lesson in course.lessons()]]
    preferred = [lesson for lesson in timetable.by_preference(course.lessons()) if lesson in chosen]
    return timetable.plan([outline.read(lesson, language.current()) for lesson in preferred], minutes)


def as_text(day: Timetable, start: int) -> str:
    """Return the timetable with columns of even width, and what is left; ``start``: minutes after midnight."""
    rows = [[_plain(cell) for cell in row] for row in _rows(day, start)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["─" * width for width in widths])
    time, minutes, lesson, _what = widths
    table = [f"{row[0]:{time}}  {row[1]:>{minutes}}  {row[2]:{lesson}}  {row[3]}" for row in rows]
    return "\n".join([*table, "", *map(_plain, _rest(day, start))])


def as_markdown(day: Timetable, start: int) -> str:
    """Return the timetable as Markdown."""
    rows = _rows(day, start)
    rows.insert(1, ["---", "--:", "---", "---"])
    table = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n\n".join(["\n".join(table), *_rest(day, start)])


def _plain(text: str) -> str:
    """Return the text without the stars and ticks of Markdown."""
    return re.sub(r"([*`])(.+?)\1", r"\2", text)


def clock(minute: int) -> str:
    """Return minutes after midnight as a clock shows them."""
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = math.nan
    if not math.isfinite(hours):
        raise argparse.ArgumentTypeError(f"expected a number of hours, such as 4 or 1.5, and not {text!r}")
    return hours


def _minute(start: str) -> int:
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", start)
    if found is None:
        raise LabError(
            _("{start!r} is no time of day. Expected: hours and minutes, such as 09:00. Write it so.").format(
                start=start
            )
        )
    return 60 * int(found[1]) + int(found[2])


def _rows(day: Timetable, start: int) -> list[list[str]]:
    rows = [[_("Time"), _("Minutes"), _("Lesson"), _("Section or exercise")]]
    for line in day.lines:
        name = line.outline.name if line.outline else ""
        what = line.part.heading if line.part else _(line.kind)
        rows.append([clock(start + line.start), str(line.minutes), name, what])
    return rows


def _rest(day: Timetable, start: int) -> list[str]:
    end = _("{start} to {end}, minutes: {minutes}").format(
        start=clock(start), end=clock(start + day.minutes), minutes=day.minutes
    )
    held = {line.outline.name: line.outline.deeper for line in day.lines if line.outline}
    lists = {
        _("For homework, or for another day:"): [_left(each.name, parts) for each, parts in day.homework],
        _("Where time is left, deeper:"): [_left(name, parts) for name, parts in held.items() if parts],
    }
    return [end, *("\n- ".join([title, *lines]) for title, lines in lists.items() if lines)]


def _left(lesson: str, parts: Sequence[Part]) -> str:
    whole = not all(part.exercise or part.deeper for part in parts)
    what = _("the whole lesson") if whole else " · ".join(part.heading for part in parts)
    minutes = sum(part.minutes for part in parts)
    return _("Lesson {lesson}: {what} (minutes: {minutes})").format(lesson=lesson, what=what, minutes=minutes)

"""A timetable for a workshop: which lessons and exercises fit, with clock times and breaks, as Markdown; and what to say in each section."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from loaderlab import course
from loaderlab.course import outline, timetable
from loaderlab.course.outline import Outline, Part
from loaderlab.course.timetable import Line
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.teaching import measured

SHORTEST, LONGEST = 1, 12  # hours of a day


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab agenda`."""
    add = parser.add_argument
    add("--hours", type=float, required=True, help="length of the day, with its breaks, such as 4 or 1.5")
    add("--start", default="09:00", metavar="HH:MM", help="when it begins (default: 09:00)")
    add("--lessons", nargs="+", metavar="LESSON", help="choose among these lessons only")
    add("--without", nargs="+", metavar="LESSON", default=[], help="leave these lessons out")
    add("--lunch", metavar="HH:MM", help="when lunch is: the break nearest to it (default: about the middle)")
    add("--notes", action="store_true",
        help="with the instructor's notes, and the answers to guesses and explorers")  # fmt: skip
    # Suppressed where it is not given: `loaderlab --language fr agenda` counts, too.
    add("--language", choices=language.LANGUAGES, default=argparse.SUPPRESS, help="language")


def run(options: argparse.Namespace) -> int:
    """Print the timetable."""
    start = _clock_time(options.start)
    lunch = _clock_time(options.lunch) if options.lunch else None
    print(agenda(options.hours, start, options.lessons, options.without, lunch, options.notes))
    return 0


def agenda(
    hours: float,
    start: datetime,
    names: Sequence[str] | None = None,
    without: Sequence[str] = (),
    lunch: datetime | None = None,
    notes: bool = False,
) -> str:
    """Return a day with those of the lessons of these names, or of all, that fit, and what is left, in the language spoken now.

    Minutes are those in a class. With ``notes`` each section comes again below the timetable, with what there is to say.
    Raises :class:`LabError` for a day too short or too long.
    """
    if not SHORTEST <= hours <= LONGEST:
        raise LabError(
            _(
                "A workshop of {hours} hours cannot be planned. Expected: {least} to {most} hours. Give a number in this "
                "range; plan a longer workshop day by day, and name the lessons of each day."
            ).format(hours=number(hours, 1), least=SHORTEST, most=LONGEST)
        )
    lessons = [course.lesson(name) for name in names] if names else course.lessons()
    left_out = [course.lesson(name) for name in without]
    chosen = [
        lesson
        for lesson in timetable.by_preference(course.lessons())
        if lesson in lessons and lesson not in left_out
    ]
    if not chosen:
        raise LabError(_("No lesson is left to plan. Name fewer after `--without`."))
    outlines = [outline.read(lesson, language.current()).in_class for lesson in chosen]
    noon = None if lunch is None else int((lunch - start).total_seconds() // 60)
    day = timetable.plan(outlines, round(60 * hours), noon)

    rows = [[_("Time"), _("Minutes"), _("Lesson"), _("Section or exercise")], ["---"] * 4]
    for line in day:
        name = line.outline.name if line.outline else ""
        what = line.part.heading.replace("|", r"\|") if line.part else _(line.kind)
        rows.append([_clock(start, line.start), str(line.minutes), name, what])
    held = [(line.outline, line.part) for line in day]
    homework, deeper = [], []
    for each in sorted(outlines, key=lambda each: each.lesson.number):
        parts = [part for part in each.parts if part.minutes and not part.deeper and (each, part) not in held]
        if parts:
            homework.append(_left(each, parts))
        if each.deeper and any(taken is each for taken, _part in held):
            deeper.append(_left(each, each.deeper))
    end = _("{start} to {end}, minutes: {minutes}").format(
        start=_clock(start, 0), end=_clock(start, day[-1].end), minutes=day[-1].end
    )
    lists = {_("For homework, or for another day:"): homework, _("If time is left, to go deeper:"): deeper}
    listed = ["\n- ".join([f"{title}\n", *lines]) for title, lines in lists.items() if lines]
    said = [_said(line, _clock(start, line.start)) for line in day] if notes else []
    return "\n\n".join([_table(rows), end, *listed, *filter(None, said)])


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown whose columns stand below each other in a terminal, too."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows)


def _left(lesson: Outline, parts: Sequence[Part]) -> str:
    whole = not all(part.exercise or part.deeper for part in parts)
    what = _("the whole lesson") if whole else " · ".join(part.heading for part in parts)
    minutes = sum(part.minutes for part in parts)
    return _("Lesson {lesson}: {what} (minutes: {minutes})").format(
        lesson=lesson.name, what=what, minutes=minutes
    )


def _clock_time(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%H:%M")
    except ValueError:
        raise LabError(
            _("{start!r} is no time of day. Expected: hours and minutes, such as 09:00. Write it so.").format(
                start=text
            )
        ) from None


def _clock(start: datetime, minutes: int) -> str:
    return f"{start + timedelta(minutes=minutes):%H:%M}"


def _said(line: Line, time: str) -> str:
    """Return what there is to say in a line of the timetable, which begins at ``time``, as Markdown; empty where there is nothing."""
    if line.outline is None or line.part is None:
        return ""
    lesson, content, code = line.outline.lesson, line.part.content, language.current()
    texts = language.messages(code, lesson.folder)
    said = [_translated(note, texts) for note in content.notes]
    found = measured.of(lesson, code)
    with language.speaking(code, lesson.folder):
        answers = [
            (prediction.heading, measured.written(prediction, found[name]) if name in found else "")
            for name, prediction in lesson.predictions().items()
            if name in content.guesses
        ]
        for name in content.asking:
            for question in lesson.questions().get(name, ()):
                answer = question.answer()
                written = question.asked.written(answer[0] if isinstance(answer, tuple) else answer)
                answers.append((question.asked.heading, written))
    if answers:
        said.append("\n".join(f"- {asked} {answer}".rstrip() for asked, answer in answers))
    head = f"### {time} · {line.outline.name} · {line.part.heading}"
    return "\n\n".join([head, *said]) if said else ""


def _translated(note: str, texts: dict[str, str]) -> str:
    """Return a note, each of its paragraphs and items in the language of ``texts``."""
    blocks = []
    for block in note.split("\n\n"):
        items = re.split(r"^- ", block, flags=re.MULTILINE)
        said = [texts.get(text, text) for text in (" ".join(item.split()) for item in items) if text]
        blocks.append("\n".join(f"- {text}" for text in said) if block.startswith("- ") else " ".join(said))
    return "\n\n".join(blocks)

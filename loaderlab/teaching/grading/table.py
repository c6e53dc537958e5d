"""The grades of a class as a table for the terminal, no wider than that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wcwidth import iter_graphemes, wcswidth, wrap

from loaderlab.i18n.language import translate as _
from loaderlab.teaching.grading.grade import Result
from loaderlab.teaching.grading.record import counted
from loaderlab.teaching.grading.statistics import Tally, averages, by_lesson, tallies
from loaderlab.teaching.plain_text import clean, cut

GAP = "  "
LENGTH = 400  # characters of a text below the grid
NARROWEST = 12  # columns that a student's name is left with, however narrow the terminal


def table(results: Sequence[Result], width: int, keep: str = "best") -> str:
    """Return for each lesson points by student and exercise, then what the exercises were like; then what was not graded.

    ``width``: columns of the terminal. No line is wider, unless the terminal is too narrow for any name. ``keep``: see
    :func:`record.records`.
    """
    lines: list[str] = []
    counts = counted(results, keep)
    for lesson, group in by_lesson(results).items():
        counting = [result for result in group if id(result) in counts]
        lines += [fit(lesson, width), *_grid(group, counts, width), *_wrapped(averages(counting), width, "")]
        if len(counting) < len(group):
            lines.append(fit(_("(…) another notebook of this student counts"), width))
        if any(result.corrected for result in group):
            lines.append(fit(_("* set by the instructor"), width))
        lines += ["", *_exercises(tallies(counting), width), ""]
    rest = [result.submission for result in results if result.submission.problem]
    if rest:
        lines.append(fit(_("Not graded: {count}").format(count=len(rest)), width))
        for one in rest:
            lines += [*_wrapped(one.file or one.student, width, GAP), *_wrapped(one.problem, width, GAP * 2)]
    return "\n".join(lines).rstrip()


def _grid(results: Sequence[Result], counts: Collection[int], width: int) -> Iterator[str]:
    exercises = [tally.exercise for tally in tallies(results)]
    head = [_("Student"), *(str(number) for number in range(1, len(exercises) + 1)), _("Total")]
    rows = [head]
    for result in results:
        points = {grade.exercise: grade.score for grade in result.grades}
        cells = [points.get(exercise, "–") for exercise in exercises]
        total = f"{result.points}/{result.maximum}"
        rows.append(
            [clean(result.submission.student), *cells, total if id(result) in counts else f"({total})"]
        )
    widths = [max(wcswidth(row[column]) for row in rows) for column in range(len(head))]
    room = width - sum(widths[1:]) - len(GAP) * (len(head) - 1)
    widths[0] = min(widths[0], max(NARROWEST, room))
    for row in rows:
        name = fit(row[0], widths[0])
        numbers = (" " * (w - wcswidth(cell)) + cell for cell, w in zip(row[1:], widths[1:], strict=True))
        yield GAP.join([name + " " * (widths[0] - wcswidth(name)), *numbers])


def _exercises(found: Sequence[Tally], width: int) -> Iterator[str]:
    for number, tally in enumerate(found, 1):
        line = _("{number} {exercise}: full points {full} of {answers}").format(
            number=number, exercise=tally.exercise, full=tally.full, answers=tally.answers
        )
        yield fit(line, width)
        if tally.mistake:
            mistake = _("most common mistake ({count}): {criterion}")
            yield from _wrapped(mistake.format(count=tally.mistaken, criterion=tally.mistake), width, GAP)


def _wrapped(text: str, width: int, indent: str) -> Iterator[str]:
    for line in wrap(cut(clean(text), LENGTH), width - len(indent)):
        yield indent + line


def fit(text: str, width: int) -> str:
    """``text``, cut with an ellipsis where it takes more than ``width`` columns of a terminal."""
    if wcswidth(text) <= width:
        return text
    kept = ""
    for grapheme in iter_graphemes(text):
        if wcswidth(kept + grapheme) > width - 1:
            break
        kept += grapheme
    return kept + "…"

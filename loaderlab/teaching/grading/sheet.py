"""The grades of a class as CSV, for a spreadsheet: nothing in it is taken for a formula, or begins a row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from loaderlab.i18n.language import spoken
from loaderlab.measuring import atomic_write
from loaderlab.teaching.grading.grade import SET, Grade, Result
from loaderlab.teaching.plain_text import clean, cut

HEADER = ("student", "lesson", "exercise", "points", "maximum", "status", "failed", "remarks", "file")
TOTAL = "total"
LENGTH = 1000  # characters of one field; a spreadsheet takes 32767 in a cell

# What a spreadsheet may take for a formula, also after spaces and quotation marks. Where a list separator is a
# semicolon (French, Polish), a cell can begin there, too.
_FORMULA = re.compile(r"(^|;)(?=[\s\"'“”‘’«»]*[=+\-@＝＋－＠])")


def write(path: Path, results: Sequence[Result]) -> None:
    """Write the grades to ``path``; raises :class:`LabError` where that fails, and then changes nothing."""
    save(path, [HEADER, *rows(results)])


def save(path: Path, table: Iterable[Sequence[str | int]]) -> None:
    """Write rows as the spreadsheets of the language spoken now open them; raises :class:`LabError` where that fails."""
    text = io.StringIO(newline="")
    separator = spoken().csv_separator
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n").writerows(table)
    # Excel takes UTF-8 for what it is only with a mark.
    atomic_write.write(path, text.getvalue().encode("utf-8-sig"))


def rows(results: Sequence[Result]) -> Iterator[tuple[str | int, ...]]:
    """Yield a row for each exercise of each submission, and one with its total, in the order of ``HEADER``."""
    for result in results:
        one = result.submission
        start = (field(one.student), one.lesson or "")
        for grade in result.grades:
            verdict = grade.verdict
            yield (
                *start,
                grade.exercise,
                verdict.points,
                verdict.maximum,
                grade.status,
                field("; ".join(f.criterion for f in verdict.findings if not f.passed)),
                field(" ".join(remarks(grade))),
                field(one.file),
            )
        # Only a notebook that could be read has a lesson: with a problem all the same, it is not one of those asked for.
        problem = "other_lesson" if one.lesson else "unreadable" if one.file else "absent"
        status = problem if one.problem else "graded"
        notes = field(one.problem or " ".join(one.remarks))
        points = ("", "") if one.problem else (result.points, result.maximum)
        yield (*start, TOTAL, *points, status, "", notes, field(one.file))


def remarks(grade: Grade) -> list[str]:
    """Return the remarks on a grade beside its findings: without any, and where they do not count, the verdict says why."""
    verdict = grade.verdict
    return [*([] if verdict.findings and grade.status != SET else [verdict.message]), *grade.remarks]


def field(text: str) -> str:
    """``text`` as a spreadsheet shows it and does not compute it: on one line, an apostrophe before a formula."""
    return _FORMULA.sub(r"\1'", cut(clean(text), LENGTH))

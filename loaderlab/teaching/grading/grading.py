"""One grading of a class: the options, checked before anything is read; then what is read, graded and written."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.teaching.grading import (
    feedback,
    gradebook,
    override,
    record,
    report,
    roster,
    run,
    sheet,
    student,
    submission,
    weights,
)
from loaderlab.teaching.grading.grade import Result
from loaderlab.teaching.grading.override import Override
from loaderlab.teaching.grading.submission import Submission

Progress = Callable[
    [int, int, str], None
]  # called with how many are done, of how many, and which one was last


@dataclass(frozen=True)
class Reports:
    """The files that are written: the table of grades, and those that the instructor asked for."""

    csv: Path
    students: Path | None
    html: Path | None
    gradebook: Path | None
    feedback: Path | None

    @property
    def all(self) -> list[Path]:
        """Those that are written."""
        return [path for path in (*self._tables, self.feedback) if path]

    @property
    def journal(self) -> Path:
        """The file in which the answers of this run are kept for the next."""
        return self.csv.with_name(f".{self.csv.name}.journal")

    @property
    def _tables(self) -> list[Path]:
        return [path for path in (self.csv, self.students, self.html, self.gradebook) if path]

    def expect_writable(self, own: Sequence[Path]) -> None:
        """Raise :class:`LabError` where one report would replace another, a submission, or the instructor's ``own`` lists."""
        if len({path.resolve() for path in self.all}) < len(self.all):
            raise LabError(_("Two reports would be written to one file. Expected: a file for each."))
        lists = {one.resolve() for one in own}
        for path in self._tables:
            if path.suffix.lower() in (".ipynb", ".zip") or path.is_dir() or path.resolve() in lists:
                raise LabError(
                    _(
                        "{path} would be replaced by the grades. Expected: a new file, such as grades.csv."
                    ).format(path=path)
                )
        for path in self.all:
            if not os.access(path.parent, os.W_OK):
                raise LabError(
                    _("Nothing can be written in {folder}. Choose a folder that exists and is yours.").format(
                        folder=path.parent.resolve()
                    )
                )
        if self.feedback:
            feedback.expect_writable(self.feedback)


@dataclass(frozen=True)
class Handed:
    """The submissions that were handed in, and what this run does with them.

    ``again``: the answers that are probed though an earlier run did; see :func:`submission.chosen`.
    """

    submissions: list[Submission]
    again: set[tuple[int, str]]
    overrides: list[Override]


class Grading:
    """One run of the command with these ``options``, its lists read; raises :class:`LabError` for what cannot be used.

    ``own``: the instructor's lists among the files; ``gradebook``: what was exported.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        export, filled = options.gradebook or (None, None)
        self.options = options
        self.reports = Reports(options.csv, options.students, options.html, filled, options.feedback)
        self.own: list[Path] = [path for path in (options.members, options.override, export) if path]
        self.reports.expect_writable(self.own)
        if options.student_from not in ("", "file", "folder"):
            student.pattern(options.student_from)  # said before anything is read
        self.again = bool(options.only or options.exercise)
        if self.again and not self.reports.journal.is_file():
            raise LabError(
                _(
                    "No earlier run has written {path}. Grade the whole class first, without --only and --exercise."
                ).format(path=options.csv)
            )
        self.weights = weights.read(options.weights)
        self.gradebook = gradebook.read(export) if export else None
        known = self.gradebook.members if self.gradebook else []
        self.members = roster.read(options.members) if options.members else known

    def read(self, progress: Progress) -> Handed:
        """Read what was handed in; raises :class:`LabError` where the options do not fit it."""
        found = submission.find(
            self.options.submissions,
            self.options.lesson,
            leave=[*self.reports.all, *self.own],
            student_from=self.options.student_from,
            members=self.members,
            progress=progress,
        )
        self.weights.expect(submission.lessons(found))
        self._columns(found)  # said before anything is graded
        return Handed(
            found,
            submission.chosen(found, self.options.only, self.options.exercise) if self.again else set(),
            override.read(self.options.override, found) if self.options.override else [],
        )

    def grade(self, handed: Handed, progress: Progress) -> tuple[list[Result], list[str]]:
        """Return the results, with the points that the instructor set, and sentences about the run; see :func:`run.grade`."""
        results, notes = run.grade(
            handed.submissions,
            jobs=self.options.jobs or max(1, int(machine.usable_cores())),
            journal=self.reports.journal,
            resume=self.options.resume or self.again,
            again=handed.again,
            confined=not self.options.this_machine_is_the_sandbox,
            progress=progress,
        )
        return override.apply(results, handed.overrides), notes

    def write(self, results: Sequence[Result], notes: Sequence[str]) -> list[str]:
        """Write the reports; returns the notes, and beside them those on the gradebook. Raises :class:`LabError`."""
        said = list(notes)
        sheet.write(self.reports.csv, results)
        if self.reports.students:
            record.write(self.reports.students, results, self.weights, self.options.keep)
        if self.gradebook and self.reports.gradebook:
            columns = self._columns([result.submission for result in results])
            records = record.records(results, self.options.keep)
            said += self.gradebook.fill(self.reports.gradebook, columns, records, self.weights)
        if self.reports.html:
            report.write(self.reports.html, results, said, self.options.keep)
        if self.reports.feedback:
            feedback.write(self.reports.feedback, results, self.options.keep)
        return said

    def _columns(self, submissions: Sequence[Submission]) -> dict[int, str]:
        """Return the columns of the gradebook that are filled in."""
        if self.gradebook is None:
            return {}
        return self.gradebook.columns(submission.lessons(submissions), self.options.column)

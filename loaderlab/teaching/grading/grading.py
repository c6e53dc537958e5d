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
from loaderlab.teaching.grading.gradebook import Gradebook
from loaderlab.teaching.grading.override import Override
from loaderlab.teaching.grading.roster import Member
from loaderlab.teaching.grading.submission import Submission
from loaderlab.teaching.grading.weights import Weights

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


@dataclass(frozen=True)
class Grading:
    """The options of one run. ``own``: the instructor's lists among the files; ``gradebook``: what was exported."""

    submissions: Sequence[Path]
    reports: Reports
    own: Sequence[Path]
    members: Sequence[Member]
    student_from: str
    lessons: Sequence[str]
    override: Path | None
    gradebook: Gradebook | None
    column: str
    weights: Weights
    keep: str
    jobs: int
    confined: bool
    resume: bool
    only: Sequence[str]
    exercises: Sequence[str]

    @staticmethod
    def of(options: argparse.Namespace) -> Grading:
        """Return the options of the command, with its lists read; raises :class:`LabError` for what cannot be used."""
        export, filled = options.gradebook or (None, None)
        reports = Reports(options.csv, options.students, options.html, filled, options.feedback)
        own = [path for path in (options.members, options.override, export) if path]
        reports.expect_writable(own)
        if options.student_from not in ("", "file", "folder"):
            student.pattern(options.student_from)  # said before anything is read
        again = bool(options.only or options.exercise)
        if again and not reports.journal.is_file():
            raise LabError(
                _(
                    "No earlier run has written {path}. Grade the whole class first, without --only and --exercise."
                ).format(path=options.csv)
            )
        weighing = weights.read(options.weights)
        book = gradebook.read(export) if export else None
        return Grading(
            submissions=options.submissions,
            reports=reports,
            own=own,
            members=roster.read(options.members) if options.members else book.members if book else [],
            student_from=options.student_from,
            lessons=options.lesson,
            override=options.override,
            gradebook=book,
            column=options.column,
            weights=weighing,
            keep=options.keep,
            jobs=options.jobs or max(1, int(machine.usable_cores())),
            confined=not options.this_machine_is_the_sandbox,
            resume=options.resume or again,
            only=options.only,
            exercises=options.exercise,
        )

    def read(self, progress: Progress) -> Handed:
        """Read what was handed in; raises :class:`LabError` where the options do not fit it."""
        found = submission.find(
            self.submissions,
            self.lessons,
            leave=[*self.reports.all, *self.own],
            student_from=self.student_from,
            members=self.members,
            progress=progress,
        )
        self.weights.expect(submission.lessons(found))
        self._columns(found)  # said before anything is graded
        again = self.only or self.exercises
        return Handed(
            found,
            submission.chosen(found, self.only, self.exercises) if again else set(),
            override.read(self.override, found) if self.override else [],
        )

    def grade(self, handed: Handed, progress: Progress) -> tuple[list[Result], list[str]]:
        """Return the results, with the points that the instructor set, and sentences about the run; see :func:`run.grade`."""
        results, notes = run.grade(
            handed.submissions,
            jobs=self.jobs,
            journal=self.reports.journal,
            resume=self.resume,
            again=handed.again,
            confined=self.confined,
            progress=progress,
        )
        return override.apply(results, handed.overrides), notes

    def write(self, results: Sequence[Result], notes: Sequence[str]) -> list[str]:
        """Write the reports; returns the notes, and beside them those on the gradebook. Raises :class:`LabError`."""
        said = list(notes)
        sheet.write(self.reports.csv, results)
        if self.reports.students:
            record.write(self.reports.students, results, self.weights, self.keep)
        if self.gradebook and self.reports.gradebook:
            columns = self._columns([result.submission for result in results])
            records = record.records(results, self.keep)
            said += self.gradebook.fill(self.reports.gradebook, columns, records, self.weights)
        if self.reports.html:
            report.write(self.reports.html, results, said, self.keep)
        if self.reports.feedback:
            feedback.write(self.reports.feedback, results, self.keep)
        return said

    def _columns(self, submissions: Sequence[Submission]) -> dict[int, str]:
        """Return the columns of the gradebook that are filled in."""
        return self.gradebook.columns(submission.lessons(submissions), self.column) if self.gradebook else {}

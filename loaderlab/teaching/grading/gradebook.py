"""The file that Moodle or Canvas exported, with the column of an assignment filled in, for them to import again.

Moodle's worksheet (the assignment's "Download grading worksheet") must come back with Identifier, Grade and Last modified
(grade) as they were: https://github.com/moodle/moodle/blob/main/mod/assign/feedback/offline/importgradeslib.php. Canvas
knows rows by ID and columns by the number in their heading, "01_workers (4567)", and has what a column is worth in the row
Points Possible: https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_exporter.rb. So all else is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loaderlab import course
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.languages import BY_CODE
from loaderlab.measuring import atomic_write
from loaderlab.teaching.grading import roster, rows
from loaderlab.teaching.grading.record import Record
from loaderlab.teaching.grading.roster import IDENTIFIERS, Member
from loaderlab.teaching.grading.rows import Row, Table
from loaderlab.teaching.grading.student import Student, in_name, plain
from loaderlab.teaching.grading.weights import Weights
from loaderlab.teaching.plain_text import clean, cut

# What Moodle's worksheet calls its columns.
_GRADE = [language.columns.grade for language in BY_CODE.values()]
_MAXIMUM = [name for language in BY_CODE.values() for name in language.columns.maximum]
_POSSIBLE = "points possible"
_KEPT = ("EX", "N/A")  # Canvas: excused, and not assigned
NAMED = 40  # characters of a name in a note


@dataclass(frozen=True)
class Gradebook:
    """The export ``table``, and who stands in it."""

    path: Path
    table: Table
    members: list[Member]

    @property
    def heading(self) -> list[str]:
        """The names of the columns."""
        return [clean(field) for field in next(row.fields for row in self.table.rows if any(row.fields))]

    def columns(self, lessons: Iterable[str], wanted: str = "") -> dict[int, str]:
        """Return where grades belong: place of a column -> its lesson, or "" for the total of all ``lessons``.

        ``wanted`` is the heading of the column for the total. Without it, that is the grade of Moodle's worksheet; in any
        other file each lesson has the first column that its file is named in. Raises :class:`LabError` where there is none.
        """
        names = [plain(name) for name in self.heading]
        if wanted:
            totals = [place for place, name in enumerate(names) if name == plain(clean(wanted))]
        elif names[0] in IDENTIFIERS:
            totals = [place for place, name in enumerate(names) if name in _GRADE]
        else:
            totals = []
        if totals:
            return {totals[0]: ""}
        found: dict[int, str] = {}
        for lesson in map(course.lesson, () if wanted else lessons):
            place = next((place for place, name in enumerate(names) if in_name(lesson).search(name)), None)
            if place is not None:
                found[place] = lesson.name
        if not found:
            raise LabError(
                _(
                    "{path} has no column for these grades. Expected: one with the name of a lesson's file, such as "
                    "01_workers, or one that --column names. It has: {columns}."
                ).format(path=self.path, columns=", ".join(cut(name, NAMED) for name in self.heading))
            )
        return found

    def fill(
        self, path: Path, columns: dict[int, str], records: Sequence[Record], weights: Weights
    ) -> list[str]:
        """Write the export to ``path`` with these columns filled in; raises :class:`LabError` where that fails.

        Returns notes: what was filled in, and who of the gradebook or of those graded was left out.
        """
        lines, strangers = self._lines(records)
        lessons = sorted({name for record in records for name in record.counted})
        filled: list[Row] = []
        excused = []
        for row in self.table.rows:
            record = lines.get(row.line)
            if record and any(_at(row, place) in _KEPT for place in columns):
                excused.append(record.student)
            filled.append(self._filled(row, columns, record, lessons, weights) if record else row)
        atomic_write.write(path, self.table._replace(rows=filled).content())
        absent = [member.name for member in self.members if member.line not in lines]
        elsewhere = [one.student for one in lines.values() if not _fits(one, columns)]
        notes = [
            _("Students with a grade in the gradebook: {count}; columns: {columns}.").format(
                count=len(lines) - len(elsewhere), columns=", ".join(self.heading[place] for place in columns)
            )
        ]
        if len(lessons) > 1 and (total := [place for place, lesson in columns.items() if not lesson]):
            several = _(
                "{column} has the total of several lessons: {lessons}. For one of them alone, add `--lesson`."
            )
            files = ", ".join(course.lesson(name).file for name in lessons)
            notes.append(several.format(column=self.heading[total[0]], lessons=files))
        valued = [place for place in columns if any(self._worth(row, place) for row in self.table.rows)]
        if raw := [self.heading[place] for place in columns if place not in valued]:
            unknown = _(
                "The gradebook does not say how many points there are for {columns}: percentages are filled in."
            )
            notes.append(unknown.format(columns=", ".join(raw)))
        for note, names in (
            (_("Students in the gradebook without anything that could be graded: {names}."), absent),
            (
                _(
                    "Students in the gradebook with a grade, but in no lesson that has a column there: {names}."
                ),
                elsewhere,
            ),
            (_("Graded, but not in the gradebook, or not only once: {names}."), strangers),
            (
                _("Students marked as excused or not assigned in the gradebook, and left so: {names}."),
                excused,
            ),
        ):
            if names:
                notes.append(note.format(names=", ".join(cut(clean(name), NAMED) for name in names)))
        return notes

    def _lines(self, records: Sequence[Record]) -> tuple[dict[int, Record], list[str]]:
        """Return the record that belongs to each line, and the names of those with none or with another's."""
        graded = [record for record in records if record.counted]
        who = [Student(record.student, record.number) for record in graded]
        meant = roster.settle(who, self.members)
        taken = [meant[one].line for one in who if one in meant]
        lines, strangers = {}, []
        for one, record in zip(who, graded, strict=True):
            if one in meant and taken.count(meant[one].line) == 1:
                lines[meant[one].line] = record
            else:
                strangers.append(record.student)
        return lines, strangers

    def _filled(
        self, row: Row, columns: dict[int, str], record: Record, lessons: Sequence[str], weights: Weights
    ) -> Row:
        fields = row.fields + [""] * (max(columns) + 1 - len(row.fields))
        for place in _fits(record, columns):
            if fields[place].strip().upper() in _KEPT:
                continue
            lesson = columns[place]
            share = (
                weights.share(lesson, record.counted[lesson])
                if lesson
                else weights.total(lessons, record.counted)
            )
            # Both platforms read a point as well as their own language's comma.
            fields[place] = f"{share * (self._worth(row, place) or 100):.2f}"
        return row._replace(fields=fields)

    def _worth(self, row: Row, place: int) -> float | None:
        """Return the worth of a column: Canvas has a row that says so, Moodle a column."""
        possible = [one for one in self.table.rows if plain(clean(_at(one, 0))) == _POSSIBLE]
        if possible:
            return _number(_at(possible[0], place))
        maximum = [n for n, name in enumerate(map(plain, self.heading)) if name in _MAXIMUM]
        return _number(_at(row, maximum[0])) if maximum else None


def read(path: Path) -> Gradebook:
    """Return the export at ``path``; raises :class:`LabError` where that is none, or names nobody."""
    return Gradebook(path, rows.whole(path), roster.read(path))


def _fits(record: Record, columns: dict[int, str]) -> list[int]:
    """Return the places of those columns that take a grade of this student."""
    return [place for place, lesson in columns.items() if not lesson or lesson in record.counted]


def _at(row: Row, place: int) -> str:
    return row.fields[place].strip() if place < len(row.fields) else ""


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 0 < value < math.inf else None

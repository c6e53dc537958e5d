"""The list of a class: who is meant by a name, and who handed in nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.languages import BY_CODE
from loaderlab.teaching.grading import rows
from loaderlab.teaching.grading.rows import Row
from loaderlab.teaching.grading.student import Student, plain
from loaderlab.teaching.plain_text import clean

# What the columns are called in Moodle's and Canvas' files, and in others.
_COLUMNS = [language.columns for language in BY_CODE.values()]
_NAMES = [name for each in _COLUMNS for name in each.full_names]
_NAMES += [name for each in _COLUMNS for name in each.names]
# Where a name stands in two columns: Moodle's gradebook, and Canvas' where it is asked for.
_FIRST = [name for each in _COLUMNS for name in each.first_names]
_LAST = [name for each in _COLUMNS for name in each.last_names]
# The number by which Moodle's worksheet (in each language: "Participant 12345") and Canvas know a person.
IDENTIFIERS = (*(each.identifier for each in _COLUMNS), "id")
_NOBODY = ("points possible", "student, test", "test student")  # rows of Canvas' that are no person's


@dataclass(frozen=True)
class Member:
    """One person of the class: the name, and by what else a file may call it: logins and addresses, and ``numbers``.

    ``line`` of the list is where the person stands, from 1.
    """

    name: str
    marks: frozenset[str]
    numbers: frozenset[str]
    line: int


def read(path: Path) -> list[Member]:
    """Return the class: a name on each line, or a table with a heading, as Moodle and Canvas export it.

    Raises :class:`LabError` where that cannot be read, or names nobody.
    """
    separator, table = rows.read(path)
    heading = [plain(field) for field in table[0].fields] if table else []
    columns = _columns(heading)
    commas = separator == "," and not columns and all(len(row.fields) == 2 for row in table)
    if commas:  # "Nowak, Anna" on each line
        table = [Row(row.line, [", ".join(row.fields)]) for row in table]
    identifier = next((place for place, name in enumerate(heading) if columns and name in IDENTIFIERS), None)
    found = [_member(row, columns or [0], identifier) for row in table[bool(columns) :]]
    found = [member for member in found if member.name and plain(member.name) not in _NOBODY]
    if not found:
        raise LabError(
            _(
                "{path} names nobody. Expected: the list of the class, a name on each line, or a CSV file."
            ).format(path=path)
        )
    return found


def settle(students: Sequence[Student], members: Sequence[Member]) -> dict[Student, Member]:
    """Return the member of the class that each student is; those for whom that is not clear are missing."""
    found = {}
    for one in students:
        meant = [m for m in members if one.number and one.number in m.numbers]
        meant = meant or [m for m in members if plain(clean(one.name)) in m.marks]
        meant = meant or [m for m in members if _key(one.name) in _keys(m.name)]
        if len(meant) == 1 and not (one.place and _namesakes(one, students)):
            found[one] = meant[0]
    return found


def _namesakes(one: Student, students: Sequence[Student]) -> bool:
    """Return whether somebody else has this name in another place: then it is not clear which of them is meant."""
    return any(other != one and other[:2] == one[:2] for other in students)


def _columns(heading: Sequence[str]) -> list[int]:
    """Return where names stand: in one column, or first and last names in two; nowhere, where this is no heading."""
    two = [next((heading.index(name) for name in names if name in heading), -1) for names in (_FIRST, _LAST)]
    if min(two) >= 0 and "full name" not in heading:
        return two
    # Where Moodle hides names, its worksheet has the identifier only.
    known = (*_NAMES, *(name for name in IDENTIFIERS if heading[:1] == [name]))
    return next(([heading.index(name)] for name in known if name in heading), [])


def _member(row: Row, columns: Sequence[int], identifier: int | None) -> Member:
    name = " ".join(filter(None, (_field(row, column) for column in columns)))
    others = [plain(field) for place, field in enumerate(row.fields) if place not in columns and field]
    marks = {*others, *(field.partition("@")[0] for field in others if "@" in field)}
    # Where no column is said to have the numbers, any may.
    numbered = others if identifier is None else [_field(row, identifier)]
    numbers = {
        found[0]
        for field in numbered
        if (found := re.search(r"\d+$", field)) and not re.search(r"[/:.,-]", field)
    }
    return Member(name, frozenset(marks), frozenset(numbers), row.line)


def _field(row: Row, place: int) -> str:
    return row.fields[place] if place < len(row.fields) else ""


def _key(name: str) -> str:
    return "".join(re.findall(r"[^\W_]+", plain(clean(name))))


def _keys(name: str) -> set[str]:
    """Return the name without spaces, its words in any order: Canvas writes "kowalskaanna"."""
    words = re.findall(r"[^\W_]+", plain(name))
    return {"".join(order) for order in permutations(words[:5])}

"""Who handed a file in: told from the names of the file and of the folders around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from loaderlab.course import Lesson
from loaderlab.workshop.grading.shown import clean, cut

LENGTH = 80  # of a name as it is shown

# Google Drive, in the languages of the course; "Copie de" and "Kopia" also as other systems put them.
_COPY_OF = re.compile(r"^(?:copy of|copie de|kopia(?: pliku)?)\s+", re.IGNORECASE)
# Browsers " (1)", Jupyter "-Copy1", Windows " - Copy" and " — kopia".
_COPY = re.compile(r"(?:\s*\(\d+\)|-copy\d*|\s+[-–—]\s+(?:copy|copie|kopia))+$", re.IGNORECASE)
_MOODLE = re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)", re.DOTALL)
_CANVAS = re.compile(r"^(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_")
_EDGES = " \t\r\n_-.,;"


class Student(NamedTuple):
    """A name, and the number that Moodle or Canvas gave; both together tell students apart."""

    name: str
    number: str = ""


def student(parts: Sequence[str], lessons: Sequence[Lesson]) -> Student:
    """Who handed in the file whose folders and name these are; the name is as it stands there, and may be hostile."""
    stem = PurePath(parts[-1]).stem
    for part in (stem, *reversed(parts[:-1])):
        if found := _MOODLE.match(part):
            return Student(found["name"], found["id"])
    for part in (stem, *(re.sub(r"\.zip$", "", name, flags=re.IGNORECASE) for name in reversed(parts[:-1]))):
        name = _COPY.sub("", _COPY_OF.sub("", part.strip()))
        for lesson in lessons:
            name = in_name(lesson).sub(" ", name)
        if found := _CANVAS.match(name):
            return Student(found["name"], found["id"])
        if clean(name := name.strip(_EDGES)):
            return Student(name)
    return Student(stem)


def in_name(lesson: Lesson) -> re.Pattern[str]:
    """Finds a lesson's file name in the name of a file, whatever joins its words and whatever Canvas adds."""
    words = lesson.name.replace("_", "[ _-]")
    return re.compile(rf"(?<![^\W_])0?{lesson.number}[ _-]{words}(?:-\d+)?(?![^\W_])", re.IGNORECASE)


def names(students: Sequence[Student]) -> dict[Student, str]:
    """How each student is shown: never empty, at most ``LENGTH`` characters, and no two alike."""
    everyone = list(dict.fromkeys(students))
    namesakes = Counter(clean(one.name) for one in everyone)
    shown: dict[Student, str] = {}
    taken: set[str] = set()
    for one in everyone:
        name = clean(one.name) or "?"
        mark = one.number if namesakes[clean(one.name)] > 1 else ""
        unique, count = _marked(name, mark), 2
        while unique in taken:
            unique, count = _marked(name, f"{mark} {count}".strip()), count + 1
        taken.add(unique)
        shown[one] = unique
    return shown


def _marked(name: str, mark: str) -> str:
    return f"{cut(name, LENGTH - len(mark) - 3)} ({mark})" if mark else cut(name, LENGTH)

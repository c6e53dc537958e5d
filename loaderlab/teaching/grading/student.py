"""The student who handed a file in: told from the names of the file and of the folders around it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import NamedTuple

from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.i18n.languages import BY_CODE
from loaderlab.teaching.plain_text import clean, cut

LENGTH = 80  # of a name as it is shown

# What learning platforms make of the names of those who hand in, in a download for all of a class.
_SYSTEMS = (
    # Moodle: "Anna Kowalska_7781_assignsubmission_file_"
    re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)", re.DOTALL),
    # Canvas: "kowalskaanna_LATE_7781_67890_01_workers.ipynb"
    re.compile(r"^(?P<name>[^_]+)_(?P<late>(?i:LATE)_)?(?P<id>\d+)_\d{3,}_"),
    # Blackboard: "Homework 1_akowal_attempt_2026-11-16-09-12-33_01_workers.ipynb"
    re.compile(r"^(?:.*_)?(?P<name>[^_]+)_attempt_20\d\d(?:[-_]\d\d){5}(?![^\W_])", re.DOTALL),
    # Brightspace: "86913-224106 - Anna Kowalska - Nov 16, 2026 912 AM"
    re.compile(r"^\d+-\d+ ?- (?P<name>.+?) ?- (?=[^-]*\b20\d\d\b)", re.DOTALL),
)
_WORD = re.compile(r"[^\W_]+")
_COPIES = "|".join(re.sub(" ", "[ _-]", words) for each in BY_CODE.values() for words in each.copies)
_PHRASES = re.compile(rf"(?<![^\W_])(?:{_COPIES})(?![^\W_])", re.IGNORECASE)
_EDGES = " \t\r\n_-–—.,;"

# What names nobody: what systems and people call copies, final versions and folders. "of", "notatnika" and the like
# stand after a word for a copy only.
_ANYWHERE = r"v\d* 20\d\d loader colab mydrive tmp jovyan ipynb zip checkpoint"
_IN_LANGUAGES = " ".join(f"{each.code} {each.nobody}" for each in BY_CODE.values())
_NOTHING = re.compile("|".join(f"{_ANYWHERE} {_IN_LANGUAGES}".split()))


class Student(NamedTuple):
    """A name, and what else tells students apart: the number that Moodle or Canvas gave, or else where the name stood.

    ``told``: whether the name was read; that of a file stands for one that was not.
    """

    name: str
    number: str = ""
    place: str = ""
    told: bool = True


class Place(NamedTuple):
    """The place that a file came from: folders and name, of which the instructor gave the first ``root``; and of which lesson it is."""

    parts: tuple[str, ...]
    root: int
    lesson: str | None


def students(files: Sequence[Place], lessons: Sequence[Lesson], source: str = "") -> list[Student]:
    """Return the student who handed in each of these files; names are as they stand there, and may be hostile.

    ``source``: "file", "folder" or a pattern (:func:`pattern`) that says where the name stands; "" finds out. Two people
    never become one: without a name, each file has a student of its own.
    """
    files = [file._replace(parts=tuple(map(_composed, file.parts))) for file in files]
    crowded, first = _crowded(files, lessons), _first_of_students(files)
    found = [_student(file, lessons, source, crowded, first[file.parts[: file.root]]) for file in files]
    if source not in ("", "file", "folder") and files and not any(found):
        raise LabError(
            _(
                "{pattern!r} fits none of the files. One of them: {path}. Write the pattern as such a path."
            ).format(pattern=source, path="/".join(files[0].parts))
        )
    given: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        given[file.parts[: file.root]].append(number)
    for folders, numbers in given.items():
        # A folder that was given is one person's where it holds no other name, and no lesson twice.
        alone = all(found[n] is None for n in numbers) and not source
        alone = alone and len({files[n].lesson for n in numbers}) == len(numbers)
        name, place = _folder(folders, lessons) if alone else ("", "")
        for n in numbers:
            found[n] = found[n] or (Student(name, "", place) if name else _unknown(files[n].parts))
    return _settled(
        [(who or _unknown(file.parts), file.lesson) for who, file in zip(found, files, strict=True)]
    )


def _crowded(files: Sequence[Place], lessons: Sequence[Lesson]) -> set[tuple[str, ...]]:
    """Return the folders that hold several names for one lesson: of a class, not of one person."""
    held: dict[tuple[tuple[str, ...], str], set[str]] = defaultdict(set)
    for file in files:
        if file.lesson and (name := _name(PurePath(file.parts[-1]).stem, lessons)):
            held[file.parts[:-1], file.lesson].add(name)
    return {folder for (folder, _lesson), names in held.items() if len(names) > 1}


def _system(parts: Sequence[str]) -> tuple[int, re.Match[str] | None]:
    """Return the outermost of these parts that a platform named, and where it is: what stands further in, students named."""
    for place, part in enumerate(parts):
        if match := _of_system(part):
            return place, match
    return len(parts), None


def _of_system(part: str) -> re.Match[str] | None:
    return next(filter(None, (named.match(part) for named in _SYSTEMS)), None)


def _number(match: re.Match[str]) -> str:
    """Return the number that the platform knows the student by; "" where it writes none."""
    return match.groupdict().get("id") or ""


def _first_of_students(files: Sequence[Place]) -> dict[tuple[str, ...], int]:
    """Return, for each folder that was given, the place in its paths from which on students named what there is.

    That is below a folder that holds all the others, as in many zip files. Where most folders there hold such as platforms
    name ("group A/Anna_123_assignsubmission_file_"), these are downloads, and students named nothing outside them.
    """
    given: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for file in files:
        given[file.parts[: file.root]].append(file.parts)
    found = {}
    for folder, paths in given.items():
        folders = [path[:-1] for path in paths]
        first = next(
            (n for n, names in enumerate(zip(*folders, strict=False)) if len(set(names)) > 1),
            min(map(len, folders)),
        )
        named = [(path[first], *_system(path)) for path in paths]
        downloads = {entry for entry, place, match in named if match and place > first}
        found[folder] = (
            first if 2 * len(downloads) <= len({path[first] for path in paths}) else max(map(len, paths))
        )
    return found


def _student(
    file: Place, lessons: Sequence[Lesson], source: str, crowded: Collection[tuple[str, ...]], first: int
) -> Student | None:
    """Return the student whom the names below the given folder tell of; None for nobody. ``first``: :func:`_first_of_students`."""
    if source not in ("", "file", "folder"):
        match = pattern(source).search("/".join(file.parts))
        number = match.groupdict().get("number", "") if match else ""
        return Student(match["student"], number, "" if number else "/") if match else None
    stem, folders = PurePath(file.parts[-1]).stem, file.parts[file.root : -1]
    where, match = _system(file.parts)
    if match:
        folder, place = _folder(file.parts[first:where], lessons)
        if folder:
            # Several numbers may be people after all: with a place for each, they stay apart where they hand in the same.
            return Student(
                folder, "", "/".join((*file.parts[:first], place, _number(match) or match["name"]))
            )
        return Student(match["name"], _number(match))
    here, name = "/".join(file.parts[:-1]), _name(stem, lessons)
    # In "anna/my try.ipynb" and "anna/01_workers 2.ipynb" the folder has the name, in "group/01_workers_anna.ipynb" the file.
    own = source == "file" or file.parts[:-1] in crowded
    beside = any(in_name(each).search(stem) for each in lessons) and not _is_count(name)
    if name and source != "folder" and (own or beside):
        return Student(name, "", here)
    folder, place = _folder(folders, lessons) if source != "file" else ("", "")
    if folder:
        return Student(folder, "", "/".join((*file.parts[: file.root], place)))
    return Student(name, "", here) if name and source != "folder" else None


def _folder(folders: Sequence[str], lessons: Sequence[Lesson]) -> tuple[str, str]:
    """Return the name of the innermost of these folders that names anybody, and where that one is; twice "" for none."""
    for place in reversed(range(len(folders))):
        if name := _name(re.sub(r"\.zip$", "", folders[place], flags=re.IGNORECASE), lessons):
            return name, "/".join(folders[:place])
    return "", ""


def pattern(text: str) -> re.Pattern[str]:
    """Return a path with ``{student}``, perhaps ``{number}``, and ``*`` for what does not matter. Raises :class:`LabError`."""
    if text.count("{student}") != 1 or text.count("{number}") > 1:
        raise LabError(
            _(
                "{pattern!r} does not say where the student's name stands. Expected: file, folder, or a path such as "
                "*/{{student}}_{{number}}_*."
            ).format(pattern=text)
        )
    pieces = {"{student}": r"(?P<student>[^/]+?)", "{number}": r"(?P<number>\d+)", "*": "[^/]*"}
    words = re.split(r"(\{student\}|\{number\}|\*)", text)
    return re.compile("(?:^|/)" + "".join(pieces.get(word, re.escape(word)) for word in words) + "$")


def is_late(parts: Sequence[str]) -> bool:
    """Return whether Canvas marked the file as handed in late."""
    _place, match = _system(parts)
    return bool(match and match.groupdict().get("late"))


def other_names(parts: Sequence[str], who: Student) -> list[str]:
    """Return the names of others than this student that a platform's parts of a path bear."""
    found = filter(None, map(_of_system, map(_composed, parts)))
    own = {who.name, who.number} - {""}
    return list(dict.fromkeys(one["name"] for one in found if own.isdisjoint((one["name"], _number(one)))))


def _composed(part: str) -> str:
    """Return a name as most systems spell it: macOS writes accents as letters of their own."""
    return unicodedata.normalize("NFC", part)


def in_name(lesson: Lesson, numbered: bool = True) -> re.Pattern[str]:
    """Return a pattern that finds a lesson's file name in the name of a file, whatever joins its words and whatever Canvas adds.

    Not ``numbered``: also without the lesson's number.
    """
    words = lesson.name.replace("_", "[ _-]")
    number = f"0?{lesson.number}[ _-]" if numbered else f"(?:0?{lesson.number}[ _-])?"
    return re.compile(rf"(?<![^\W_]){number}{words}(?:-\d+)?(?![^\W_])", re.IGNORECASE)


def _settled(found: Sequence[tuple[Student, str | None]]) -> list[Student]:
    """Return the students of these files, each given with its lesson: where one name stood in several places, whether that is one.

    It is, unless a lesson was handed in in two of them: those are namesakes, until a class list says something else.
    """
    places: dict[tuple[str, str, str | None], set[str]] = defaultdict(set)
    for who, lesson in found:
        places[who.name, who.number, lesson].add(who.place)
    several = {(name, number) for (name, number, _lesson), where in places.items() if len(where) > 1}
    return [who if who[:2] in several else who._replace(place="") for who, _lesson in found]


def names(students: Sequence[Student]) -> dict[Student, str]:
    """Return the name under which each student is shown: never empty, at most ``LENGTH`` characters, and no two alike."""
    everyone = list(dict.fromkeys(students))
    namesakes = Counter(clean(one.name) for one in everyone)
    shown: dict[Student, str] = {}
    taken: set[str] = set()
    for one in everyone:
        name = clean(one.name) or "?"
        mark = one.number or cut(clean(one.place.rpartition("/")[2]), 30)
        mark = mark if namesakes[clean(one.name)] > 1 else ""
        unique, count = _marked(name, mark), 2
        while unique in taken:
            unique, count = _marked(name, f"{mark} {count}".strip()), count + 1
        taken.add(unique)
        shown[one] = unique
    return shown


def _marked(name: str, mark: str) -> str:
    return f"{cut(name, LENGTH - len(mark) - 3)} ({mark})" if mark else cut(name, LENGTH)


def plain(text: str) -> str:
    """Return the text without accents and capitals, as names are compared."""
    bare = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    return "".join(character for character in bare if not unicodedata.combining(character))


def _unknown(parts: Sequence[str]) -> Student:
    """Nobody can be told: a student of its own for each file."""
    return Student(PurePath(parts[-1]).stem, "", "/".join(parts), told=False)


def _name(text: str, lessons: Sequence[Lesson]) -> str:
    """Return what is left of the name of a file or folder when the lesson's, copies and versions are taken off; "" for nothing."""
    for lesson in lessons:
        text = in_name(lesson, numbered=False).sub(" ", text)
    text = _PHRASES.sub(" copy ", text)
    words = list(_WORD.finditer(text))
    first, last = _count(words, text), _count(words[::-1], text)
    if words and first >= len(words):
        return ""
    begin = words[first].start() if first else 0
    end = words[-1 - last].end() if last else len(text)
    name = text[begin:end].strip(_EDGES)
    return name if clean(name) else ""


def _is_count(name: str) -> bool:
    """Return whether the name may be the number of a copy."""
    return name.isdecimal() and len(name) <= 2


def _count(words: Sequence[re.Match[str]], text: str) -> int:
    """Return how many of the first of these words name nobody; a short number does not where it counts copies or weeks."""
    count, numbers, empty = 0, 0, False
    for word in words:
        before = text[: word.start()].rstrip()
        if _NOTHING.fullmatch(plain(word[0])) or (word[0].isdecimal() and before.endswith("(")):
            count, numbers, empty = count + numbers + 1, 0, True
        elif word[0].isdecimal() and len(word[0]) <= 4:
            numbers += 1
        else:
            return count
    return len(words) if empty else 0

"""The limits of a lesson: how much it may hold, how honest its minutes are, and what each of its exercises must come with.

`loaderlab build --check` says them all, with the file, what was found, what is allowed and the way out. They stand nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from loaderlab.course import outline
from loaderlab.course.panel import linked
from loaderlab.course.prediction import TRUE_OR_FALSE
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.publish import names, questions, regions, verdicts
from loaderlab.publish.source import ASIDE, CODE, DEEPER, NOTE, PROSE, SETUP, Cell, Source, read

if TYPE_CHECKING:
    from pathlib import Path

    from loaderlab.course import Lesson
    from loaderlab.exercises.exercise import Exercise
    from loaderlab.publish.checkout import Checkout


class Limit(NamedTuple):
    """A limit: what is counted, how few and how many are allowed, and what to do where it is another number."""

    what: str
    least: int
    most: int
    cure: str


CELLS = Limit(mark("cells in the learners' notebook"), 0, 95,
    mark("Join cells that are read together, or leave one out."))  # fmt: skip
# Lesson 0 names each lesson in three tables: room for one more.
WORDS = Limit(mark("words on the way through the lesson"), 0, 1650,
    mark('Shorten them, or mark with `+++ {"deeper": true}` what nothing else needs.'))  # fmt: skip
MINUTES = Limit(mark("minutes of the way through the lesson, in a class"), 0, 50,
    mark('Leave a section out, or mark it with `"deeper": true`.'))  # fmt: skip
BEFORE = Limit(mark("words before the first `lab.predict`"), 0, 150,
    mark("Shorten them, or move them below the first question."))  # fmt: skip
GUESSES = Limit(
    mark("guesses that the lesson asks for"), 3, 7, mark("Keep those that surprise or settle something.")
)
MYTHS = Limit(mark("guesses that are true or false"), 0, 1, mark("Ask for a number, or for one of several."))
NOTES = Limit(mark("notes for the instructor"), 5, 9, mark('They begin with `+++ {"note": true}`.'))
ANSWERS = 4  # right ones, of which the solution is one, and wrong ones, for each exercise

PER_MINUTE = 160, 12  # words, and lines of code, that are read in a minute; a guess takes one, too
ROUNDED = 1.5  # minutes that a section may say too few
SLIDERS = 2.0  # minutes that it may say too many: for moving sliders, or running something of one's own

_LINK = re.compile(r"\]\(#((\w+)\?([^)]+))\)")
_NAMED = re.compile(r"lab\.(?:hint|check)\(\"(\w+)\"")
_ANSWER = re.compile(r"^# %% (?:right: .+|wrong: .+ · fails (\d+(?:, \d+)*))$", re.MULTILINE)


def problems(checkout: Checkout, names: Sequence[str]) -> Iterator[str]:
    """Yield what is beyond a limit, one sentence each, in the lessons of these names and in the pages of `docs/`."""
    for lesson in (lesson for lesson in checkout.lessons if lesson.name in names):
        yield from of_exercises(checkout, lesson)
        with suppress(LabError):  # which the review says
            yield from of_lesson(checkout, read(lesson))
    counts = {
        "lessons": len(checkout.lessons),
        "exercises": sum(len(lesson.exercises()) for lesson in checkout.lessons),
        "languages": len(LANGUAGES),
    }
    yield from of_documents(checkout, counts)


def of_lesson(checkout: Checkout, source: Source) -> Iterator[str]:
    """Yield what is not as a lesson should be, a sentence each: of its text, its minutes, its guesses, its notes, its links."""
    file = checkout.name(source.lesson.folder / "lesson.md")
    cells, guesses = source.cells, source.lesson.predictions().values()
    first = next((at for at, cell in enumerate(cells) if "lab.predict(" in cell.source), len(cells))
    on_the_way = [cell for cell in cells if cell.role == PROSE and not cell.off_the_way]
    for limit, found in (
        (WORDS, _words(on_the_way)),
        (BEFORE, _words(cell for cell in cells[:first] if not cell.is_code and cell.role != NOTE)),
        (GUESSES, len(guesses)),
        (MYTHS, sum(guess.choices == TRUE_OR_FALSE for guess in guesses)),
        (NOTES, sum(cell.role == NOTE for cell in cells)),
        (CELLS, in_notebook(cells)),
    ):
        yield from beyond(limit, found, file)
    yield from _minutes(file, source)
    yield from strayed(file, cells)
    yield from lost(file, [cell for cell in cells if cell.is_code])
    yield from verdicts.apart(file, [cell.source for cell in cells if cell.is_code])
    yield from _links(file, source)
    yield from _score(file, cells)
    yield from questions.problems(checkout.name(source.lesson.folder), source.lesson)


def in_notebook(cells: Sequence[Cell]) -> int:
    """Return how many cells the learners' notebook has: the first one, which installs, and all but notes."""
    return 1 + sum(cell.role != NOTE for cell in cells)


def beyond(limit: Limit, found: int, file: str) -> Iterator[str]:
    """Yield a sentence where so many are not within the limit."""
    if not limit.least <= found <= limit.most:
        allowed = _("{least} to {most}").format(least=limit.least, most=limit.most)
        yield _("{file}: {what}: {found}. Allowed: {allowed}. {cure}").format(
            file=file,
            what=_(limit.what),
            found=found,
            allowed=allowed if limit.least else _("at most {most}").format(most=limit.most),
            cure=_(limit.cure),
        )


def of_exercises(checkout: Checkout, lesson: Lesson) -> Iterator[str]:
    """Yield what the exercises lack of answers on which their judges are tried: of either kind, and a wrong one for each criterion."""
    for name, exercise in lesson.exercises().items():
        path = checkout.root / "tests" / "lessons" / lesson.name / "answers" / f"{name}.py"
        found = list(answers(path))
        where = checkout.name(path)
        right = sum(not fails for fails in found) + 1
        for kind, count in ((_("right ones"), right), (_("wrong ones"), len(found) + 1 - right)):
            if count < ANSWERS:
                yield _(
                    "{where}: answers to the exercise {name}, {kind}: {count}. Allowed: at least {least}; the solution "
                    "is a right one. Write more, as a learner would."
                ).format(where=where, name=name, kind=kind, count=count, least=ANSWERS)
        yield from _of_table(checkout.name(lesson.folder / "exercises.py"), exercise)
        missed = {index for fails in found for index in fails}
        for index, criterion in enumerate(exercise.criteria):
            if index not in missed:
                yield _(
                    "{where}: no wrong answer to the exercise {name} misses its criterion {index}, {says!r}. Write one."
                ).format(where=where, name=name, index=index, says=_(criterion.says))
        for index in sorted(missed - set(range(len(exercise.criteria)))):
            yield _(
                "{where}: an answer to the exercise {name} fails the criterion {index}, which does not exist: the first "
                "criterion is 0. Correct the number."
            ).format(where=where, name=name, index=index)


def _of_table(file: str, exercise: Exercise) -> Iterator[str]:
    """Yield what criteria ask of a table that does not have it, and drawn cases that the solution does not answer."""
    for index, criterion in enumerate(exercise.criteria):
        where = _("{file}: criterion {index} of the exercise {name}").format(
            file=file, index=index, name=exercise.name
        )
        for case in criterion.cases:
            if exercise.table is None or case not in exercise.table.cases:
                yield _(
                    "{where} names the case {case!r}, which its table lacks. Correct one of them."
                ).format(where=where, case=case)
        if criterion.drawn and exercise.table:
            call = criterion.drawn(Random(0))
            try:
                if not isinstance(call, tuple):
                    raise TypeError(type(call).__name__)
                exercise.table.right(*call)
            except Exception as error:  # noqa: BLE001 (whatever a solution raises)
                yield _(
                    "{where}: the solution does not answer a drawn case, {call!r}: {error!r}. Expected: the arguments of a "
                    "call, as a tuple. Correct `drawn`."
                ).format(where=where, call=call, error=error)


def answers(path: Path) -> Iterator[tuple[int, ...]]:
    """Yield of each answer the criteria that it misses: none of a right one."""
    if path.is_file():
        for found in _ANSWER.finditer(path.read_text("utf-8")):
            yield tuple(map(int, found[1].split(", "))) if found[1] else ()


def _words(cells: Iterator[Cell] | Sequence[Cell]) -> int:
    return sum(len(cell.source.split()) for cell in cells)


def _minutes(file: str, source: Source) -> Iterator[str]:
    stated, cells = outline.read(source.lesson), source.cells
    on_the_way = [cell for cell in cells if not cell.off_the_way]
    off_the_way = [cell for cell in cells if cell.off_the_way]
    way = [reading(each) for each in _sections(on_the_way, _begins_section)]
    deeper = [reading(each) for each in _sections(off_the_way, lambda cell: cell.role == ASIDE) if each]
    for section, minutes in zip([*stated.sections, *stated.deeper], [*way, *deeper], strict=True):
        if section.minutes and not -ROUNDED <= section.minutes - minutes <= SLIDERS:
            yield _(
                "{file}: minutes that the section {heading!r} states: {minutes}; minutes that its text, code and guesses "
                "take: {counted}. It may state {less} fewer or {more} more. Correct the line above its heading."
            ).format(
                file=file,
                heading=section.heading,
                minutes=section.minutes,
                counted=number(minutes, 2),
                less=number(ROUNDED, 2),
                more=number(SLIDERS, 2),
            )
    if abs(source.lesson.minutes - sum(way)) > 0.1 * sum(way):
        yield _(
            "{file}: minutes in LESSON: {minutes}; minutes that text, code and guesses on the way take: {counted}. "
            "Allowed: a tenth more or fewer. Correct the minutes of its sections, and LESSON."
        ).format(file=file, minutes=source.lesson.minutes, counted=number(sum(way), 2))
    yield from beyond(MINUTES, stated.in_class.minutes.way, file)


def _begins_section(cell: Cell) -> bool:
    return cell.role == PROSE and cell.source.startswith("## ")


def _sections(cells: Sequence[Cell], begins: Callable[[Cell], bool]) -> Iterator[Sequence[Cell]]:
    """Yield the cells from one heading of a section to the next; what stands before all of them belongs to the first."""
    starts = [at for at, cell in enumerate(cells) if begins(cell)]
    for begin, end in zip([0, *starts[1:]], [*starts[1:], len(cells)], strict=True):
        yield cells[begin:end]


def reading(cells: Sequence[Cell]) -> float:
    """Return the minutes for what is in sight: what is folded, with its code, is not, and an exercise has minutes of its own."""
    words, lines_of_code = PER_MINUTE
    minutes, folded = 0.0, False
    for cell in cells:
        lines = [
            line for line in cell.source.split("\n") if line.strip() and not line.lstrip().startswith("#")
        ]
        folded = cell.role == DEEPER if not cell.is_code else folded
        if cell.role == PROSE:
            minutes += len(cell.source.split()) / words
        elif cell.is_code and not cell.exercise and cell.role != SETUP:
            guesses = cell.source.count("lab.predict(")
            minutes += guesses or (0 if folded else len(lines) / lines_of_code)
    return minutes


def strayed(file: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield what cells on the way take from a section that goes deeper: only there, or last there, it was made."""
    makers: dict[str, Cell] = {}
    for cell in cells:
        if not cell.is_code:
            continue
        for name in () if cell.off_the_way else sorted(names.needed(cell.source) & makers.keys()):
            if makers[name].off_the_way:
                yield _(
                    "{file}: {cell} needs {name}, which {maker} makes in a section that goes deeper: whoever skips that "
                    "section lacks the name. Make it on the way."
                ).format(file=file, cell=_place(cell), name=name, maker=_place(makers[name]))
        makers |= dict.fromkeys(names.made(cell.source), cell)


def lost(file: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the comparisons that cannot be run again after the whole lesson: a later cell gives a name of theirs to something else."""
    for at, name in names.lost([cell.source for cell in cells]):
        yield _(
            "{file}: {cell} compares {name}, and another cell gives this name to something else, which is compared when "
            "the comparison runs again. Use another name there."
        ).format(file=file, cell=_place(cells[at]), name=name)


def _place(cell: Cell) -> str:
    return cell.where.partition(", ")[2]


def _links(file: str, source: Source) -> Iterator[str]:
    """Yield the links in the prose that set what no explorer has, and the hints and checks of what is no exercise."""
    text = (source.lesson.folder / "lesson.md").read_text("utf-8")
    scenes = source.lesson.scenes()
    for link, name, query in _LINK.findall(text):
        values = dict(parse_qsl(query))
        if name not in scenes or linked(scenes[name], values).keys() != values.keys():
            yield _(
                "{file}: the link `#{link}` sets what no explorer has. Expected: the name of a scene of scene.py, its "
                "parameters, and values that they can have. Correct it."
            ).format(file=file, link=link)
    for name in sorted(set(_NAMED.findall(text)) - source.lesson.exercises().keys()):
        yield _("{file}: a hint or a check of {name!r}, which is no exercise. Correct the name.").format(
            file=file, name=name
        )


def _score(file: str, cells: Sequence[Cell]) -> Iterator[str]:
    last = max((at for at, cell in enumerate(cells) if cell.exercise), default=0)
    if last and not any(cell.role == CODE and cell.source == "lab.score()" for cell in cells[last:]):
        yield _("{file}: below its exercises there is no cell `lab.score()`. Add it.").format(file=file)


_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def of_documents(checkout: Checkout, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the numbers in the pages that are written by hand which are not those of the sources; ``counts``: of each plural noun."""
    said = re.compile(rf"\b(\d+|{'|'.join(_NUMBERS)}) (?:\w+ )?({'|'.join(counts)})\b", re.IGNORECASE)
    pages = [checkout.root / "README.md", checkout.root / "CONTRIBUTING.md"]
    for path in [*pages, *sorted((checkout.root / "docs").rglob("*.md"))]:
        for found in said.finditer(regions.emptied(path.read_text("utf-8"))) if path.is_file() else ():
            noun, word = found[2].lower(), found[1].lower()
            if counts[noun] != (_NUMBERS.index(word) + 1 if word in _NUMBERS else int(word)):
                yield _(
                    "{file}: the page says {said!r}, but the sources have {count}. Correct the number, or write the "
                    "sentence without one."
                ).format(file=checkout.name(path), said=found[0], count=counts[noun])

"""The outline of a lesson: its sections and exercises in their order, and the minutes that each takes, alone and in a class."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import mark, messages
from loaderlab.i18n.language import translate as _

_CODE = re.compile(r"^```\{code-cell\}.*\n((?::\w+: .*\n)*)([\s\S]*?)^```$", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}|~{3,})[\s\S]*?^\1$", re.MULTILINE)
# A cell, with what is said of it; or a heading.
_BEGINS = re.compile(r"^\+\+\+(.*)$|^(?=#{1,6} )", re.MULTILINE)
_GUESS, _EXPLORER = (re.compile(rf"lab\.{verb}\(\"(\w+)\"") for verb in ("predict", "explore"))

# In a class, one minute is for so many words, or lines of code; a guess, which all make before somebody says why, and an explorer
# with its questions take so many; a cell is run and looked at. By a lecturer's estimate, with no stopwatch: nobody waits for anybody
# alone, and in a class all wait for all, so that what one does by oneself takes so many times as long.
WORDS, LINES, GUESS, EXPLORER, CELL, TOGETHER = 130, 8, 1.5, 3.0, 1 / 6, 1.5


@dataclass
class Content:
    """The content of a section, to read, hear and do: words (of English), lines of code, guesses, explorers and cells to run.

    Explanations of guesses belong to it, and the notes for the instructor (``notes``), who says what they say; what is folded does not.
    ``asking`` are those of the explorers that have their questions below them.
    """

    words: int = 0
    lines: int = 0
    guesses: tuple[str, ...] = ()
    explorers: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    cells: int = 0
    notes: tuple[str, ...] = ()

    def minutes(self, longer: float) -> float:
        """Return the minutes in a class whose language needs ``longer`` times as many words as English."""
        words = self.words + sum(map(_words, self.notes))
        guesses, explorers = GUESS * len(self.guesses), EXPLORER * len(self.explorers)
        return longer * words / WORDS + self.lines / LINES + guesses + explorers + CELL * self.cells


@dataclass(frozen=True)
class Part:
    """A section of a lesson, or an exercise (``exercise``: its name, else empty), and how many minutes it takes who learns alone.

    The minutes of a section are for its prediction, its cells and its text; those of the
    first one cover title and set-up, too. A section that only leads to exercises takes 0. One that goes deeper is not on
    the way through the lesson: nothing else needs it.
    """

    heading: str
    minutes: int
    exercise: str = ""
    deeper: bool = False
    content: Content = field(default_factory=Content, compare=False)

    def in_class(self, longer: float) -> Part:
        """Return the same with its minutes in a class (see :meth:`Content.minutes`)."""
        if self.exercise or not self.minutes:
            return replace(self, minutes=round(TOGETHER * self.minutes))
        return replace(self, minutes=max(1, round(self.content.minutes(longer))))


MINUTES = mark("Minutes: the lesson itself + its parts that go deeper + its exercises.")


class Minutes(NamedTuple):
    """The minutes of a lesson, or of several: of the way, of what goes deeper, of the exercises."""

    way: int
    deeper: int = 0
    exercises: int = 0

    def __str__(self) -> str:
        return "\u00a0+\u00a0".join(map(str, self))  # on one line, also in a narrow column


@dataclass(frozen=True)
class Outline:
    """A lesson's title and parts, in one language."""

    lesson: Lesson
    title: str
    parts: tuple[Part, ...]
    language: str = "en"

    @property
    def in_class(self) -> Outline:
        """The same lesson with its minutes in a class."""
        texts = messages(self.language, self.lesson.folder)
        words = sum(map(_words, texts))
        longer = sum(map(_words, texts.values())) / words if words else 1.0
        return replace(self, parts=tuple(part.in_class(longer) for part in self.parts))

    @property
    def name(self) -> str:
        """Number and first words of the title, as in "1 Workers"."""
        return f"{self.lesson.number} {self.title.partition(':')[0].strip()}"

    @property
    def sections(self) -> list[Part]:
        """The parts on the way that are no exercises."""
        return [part for part in self.parts if not part.exercise and not part.deeper]

    @property
    def deeper(self) -> list[Part]:
        """The parts that go deeper."""
        return [part for part in self.parts if part.deeper]

    @property
    def exercises(self) -> list[Part]:
        """The parts that are exercises."""
        return [part for part in self.parts if part.exercise]

    @property
    def minutes(self) -> Minutes:
        """The minutes of the lesson."""
        parts = (self.sections, self.deeper, self.exercises)
        return Minutes(*(sum(part.minutes for part in each) for each in parts))


def read(lesson: Lesson, language: str = "en") -> Outline:
    """Return the outline of a lesson; raises :class:`LabError` where a section of lesson.md does not say its minutes."""
    texts = messages(language, lesson.folder)
    title, parts, folded = "", list[Part](), False
    first = Content()  # title and set-up belong to the first section
    inside: list[tuple[int, Content]] = [(0, first)]
    for cell in _cells((lesson.folder / "lesson.md").read_text("utf-8")):
        if not cell.is_code:
            folded = bool(cell.about.get("deeper")) and "minutes" not in cell.about
        if cell.level:
            inside = [(level, content) for level, content in inside if level < cell.level]
            heading, _line, _text = cell.text.lstrip().partition("\n")
            text = texts.get(heading.lstrip("# "), heading.lstrip("# "))
            content = Content() if parts else first
            if name := cell.about.get("exercise"):
                parts.append(Part(text, lesson.exercises()[name].minutes, name, content=content))
            elif cell.level == 2 or "minutes" in cell.about:
                minutes, deeper = _minutes(lesson, heading, cell.about), bool(cell.about.get("deeper"))
                parts.append(Part(text, minutes, deeper=deeper, content=content))
            elif cell.level == 1:
                title = text
            if parts and parts[-1].content is content:
                inside.append((cell.level, content))
        _count(cell, inside[-1][1] if inside else first, folded)
    return Outline(lesson, title, tuple(parts), language)


def _minutes(lesson: Lesson, heading: str, metadata: Mapping[str, Any]) -> int:
    minutes = metadata.get("minutes")
    if type(minutes) is not int or minutes < 0:
        raise LabError(
            _(
                "{file}: the section {heading!r} does not say how many minutes it takes. Expected: a line such "
                'as `+++ {{"minutes": 5}}` before its heading (0 if it only leads to exercises). Add it, or '
                "correct it."
            ).format(file=f"{lesson.name}/lesson.md", heading=heading.lstrip("# "))
        )
    return minutes


class _Cell(NamedTuple):
    """A cell of lesson.md, and what the line ``+++ {…}`` above it says; of code, its options."""

    text: str
    about: Mapping[str, Any]
    is_code: bool = False

    @property
    def level(self) -> int:
        """The level of the heading that it begins with, 1 for the title; 0 where it begins with none."""
        return 0 if self.is_code else len(self.text) - len(self.text.lstrip("#"))


def _cells(text: str) -> Iterator[_Cell]:
    """Yield the cells of a lesson.md, texts divided at their headings.

    The ground floor has no jupytext, which only authors install; and this much of MyST is quickly read.
    """
    found = _CODE.split(text.split("---\n", 2)[-1])
    for prose, options, code in zip(found[::3], [*found[1::3], ""], [*found[2::3], ""], strict=True):
        about = dict[str, Any]()
        pieces: list[Any] = _BEGINS.split(_FENCED.sub(lambda block: block[0].replace("\n#", "\n #"), prose))
        for said, piece in zip([None, *pieces[1::2]], pieces[::2], strict=True):
            if said is not None:
                about = json.loads(said.strip() or "{}")
            if piece.strip():
                yield _Cell(piece.strip(), about)
                about = {}
        if code:
            yield _Cell(code, dict(line[1:].split(": ", 1) for line in options.splitlines()), is_code=True)


def _count(cell: _Cell, content: Content, folded: bool) -> None:
    """Add what is in a cell to the content of its section."""
    if not cell.is_code:
        if cell.about.get("note"):
            content.notes += (cell.text,)
        elif not (folded or cell.about.get("hints")):
            content.words += _words(cell.text)
    elif not (cell.about.keys() & {"exercise", "check"} or "setup" in cell.about.get("tags", "")):
        guesses = _GUESS.findall(cell.text)
        content.guesses += tuple(guesses)
        explorers = tuple(_EXPLORER.findall(cell.text))
        content.explorers += explorers
        content.asking += explorers if "questions=True" in cell.text else ()
        if not (guesses or folded):
            lines = (line.strip() for line in cell.text.splitlines())
            content.lines += sum(bool(line) and not line.startswith("#") for line in lines)
            content.cells += 1


def _words(text: str) -> int:
    """Return how many words are read; French sets its colons and quotation marks between spaces."""
    return sum(any(map(str.isalnum, word)) for word in text.split())

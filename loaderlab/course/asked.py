"""The questions of a lesson in full, as its text asks them: cards and explorers show them where the answer is given."""

from __future__ import annotations

import re

from loaderlab.course import Lesson
from loaderlab.course.markup import inline
from loaderlab.i18n.language import messages

_CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PREDICT = re.compile(r"""\blab\.predict\(\s*["']([\w-]+)["']""")
_ASKS = re.compile(r"^\*\*Predict first\.\*\*", re.MULTILINE)
_PROSE = re.compile(r"(?![#+|>`-])")  # no heading, list, table, or line between cells
_ASKED = re.compile(r"<b>[^<]*\.</b>\s*")
_ITEM = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_FIND_OUT = re.compile(r"^Find out\b", re.MULTILINE)


def predictions(lesson: Lesson, language: str = "en") -> dict[str, str]:
    """Return the paragraph that asks for each prediction, as HTML; none for one that shares it with the prediction before."""
    found: dict[str, str] = {}
    for before, code in _cells(lesson):
        asks = [paragraph for paragraph in before.split("\n\n") if _ASKS.search(paragraph)]
        name = _PREDICT.search(code)
        if name and asks and name[1] not in found:
            found[name[1]] = _translated(lesson, asks[-1].strip(), language)
    # The card itself says that it asks.
    return {name: _ASKED.sub("", text, count=1) for name, text in found.items() if text}


def contexts(lesson: Lesson, language: str = "en") -> dict[str, str]:
    """Return, as HTML, the paragraph before the one that asks for a prediction, where there is one: it says what is asked about."""
    found: dict[str, str] = {}
    for before, code in _cells(lesson):
        paragraphs = [paragraph.strip() for paragraph in before.split("\n\n") if paragraph.strip()]
        at = [number for number, paragraph in enumerate(paragraphs) if _ASKS.search(paragraph)]
        if (name := _PREDICT.search(code)) and at and at[-1] and _PROSE.match(paragraphs[at[-1] - 1]):
            found.setdefault(name[1], _translated(lesson, paragraphs[at[-1] - 1], language))
    return found


def explorers(lesson: Lesson, language: str = "en") -> dict[str, list[str]]:
    """Return the list of questions about each explorer that asks some, as HTML."""
    text = (lesson.folder / "lesson.md").read_text("utf-8")
    lists = [_ITEM.findall(part.split("\n\n")[1]) for part in _FIND_OUT.split(text)[1:]]
    return {
        name: [_translated(lesson, item, language) for item in listed]
        for name, listed in zip(lesson.questions(), lists, strict=False)
    }


def _cells(lesson: Lesson) -> list[tuple[str, str]]:
    """Return the code of each cell, after the prose before it."""
    parts = _CELL.split((lesson.folder / "lesson.md").read_text("utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=False))


def _translated(lesson: Lesson, text: str, language: str) -> str:
    """Return the text as HTML; empty where this copy of the course has no translation of it: it stands above the cell anyhow."""
    if language == "en":
        return inline(text)
    return inline(messages(language, lesson.folder).get(" ".join(text.split()), ""))

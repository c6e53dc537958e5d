"""The instructor's part of a section: its notes, and the answers to its guesses and to the questions of its explorers."""

from __future__ import annotations

import re

from loaderlab.course.timetable import Line
from loaderlab.i18n import language
from loaderlab.teaching import measured


def of(line: Line, time: str) -> str:
    """Return what there is to say in a line of the timetable, which begins at ``time``, as Markdown; empty where there is nothing."""
    if line.outline is None or line.part is None:
        return ""
    lesson, content, code = line.outline.lesson, line.part.content, language.current()
    texts = language.messages(code, lesson.folder)
    said = [_translated(note, texts) for note in content.notes]
    found = measured.of(lesson, code)
    with language.speaking(code, lesson.folder):
        answers = [
            (prediction.heading, measured.written(prediction, found[name]) if name in found else "")
            for name, prediction in lesson.predictions().items()
            if name in content.guesses
        ]
        for name in content.asking:
            for question in lesson.questions().get(name, ()):
                answer = question.answer()
                written = question.asked.written(answer[0] if isinstance(answer, tuple) else answer)
                answers.append((question.asked.heading, written))
    if answers:
        said.append("\n".join(f"- {asked} {answer}".rstrip() for asked, answer in answers))
    head = f"### {time} · {line.outline.name} · {line.part.heading}"
    return "\n\n".join([head, *said]) if said else ""


def _translated(note: str, texts: dict[str, str]) -> str:
    """Return a note, each of its paragraphs and items in the language of ``texts``."""
    blocks = []
    for block in note.split("\n\n"):
        items = re.split(r"^- ", block, flags=re.MULTILINE)
        said = [texts.get(text, text) for text in (" ".join(item.split()) for item in items) if text]
        blocks.append("\n".join(f"- {text}" for text in said) if block.startswith("- ") else " ".join(said))
    return "\n\n".join(blocks)

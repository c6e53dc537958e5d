"""What an instructor says in a section: its notes, and the answers to its guesses and to the questions of its explorers."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from loaderlab.course.timetable import Line
from loaderlab.i18n import language
from loaderlab.publish.checkout import EXERCISES, with_notebooks

_COMPARED = re.compile(r"lab\.compare\(\s*\"(\w+)\"")


def of(line: Line, time: str) -> str:
    """Return what there is to say in a line of the timetable, which begins at ``time``, as Markdown; empty where there is nothing."""
    if line.outline is None or line.part is None:
        return ""
    lesson, content, code = line.outline.lesson, line.part.content, language.current()
    texts = language.messages(code, lesson.folder)
    said = [_translated(note, texts) for note in content.notes]
    checkout = with_notebooks(code)
    measured = _measured(checkout.notebook(lesson, code, EXERCISES)) if checkout else {}
    with language.speaking(code, lesson.folder):
        answers = [(lesson.predictions()[name].heading, measured.get(name, "")) for name in content.guesses]
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


@lru_cache
def _measured(file: Path) -> dict[str, str]:
    """Return what a stored notebook found, by the name of the guess."""
    found = dict[str, str]()
    for cell in json.loads(file.read_text("utf-8"))["cells"] if file.is_file() else ():
        compared = _COMPARED.search("".join(cell["source"]))
        plain = [
            output["data"].get("text/plain", "") for output in cell.get("outputs", ()) if "data" in output
        ]
        if compared and plain:
            _label, *lines = "".join(plain[-1]).splitlines()
            found[compared[1]] = " · ".join(line.strip() for line in lines if line.strip())
    return found

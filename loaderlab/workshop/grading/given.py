"""What a lesson gives to every answer: the imports and definitions of its other cells, and the files they write."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import jupytext

from loaderlab.course import Lesson
from loaderlab.exercises.definitions import definitions

_WRITE = re.compile(r"%%writefile \{lab\.scratch\}/(\S+)\n")


@dataclass(frozen=True)
class Given:
    """Statements of Python, one text each, in order; and files by their names."""

    statements: tuple[str, ...]
    files: dict[str, str]


def given(lesson: Lesson) -> Given:
    """What the cells of lesson.md that are no answers define."""
    statements: list[str] = []
    files: dict[str, str] = {}
    notebook = jupytext.reads((lesson.folder / "lesson.md").read_text("utf-8"), fmt="md:myst")
    for cell in notebook.cells:
        if cell.cell_type != "code" or "exercise" in cell.metadata or "check" in cell.metadata:
            continue
        if file := _WRITE.match(cell.source):
            files[file[1]] = cell.source[file.end() :]
        elif not cell.source.lstrip().startswith("%"):
            statements += [ast.unparse(s) for s in definitions(ast.parse(cell.source).body)]
    return Given(tuple(statements), files)

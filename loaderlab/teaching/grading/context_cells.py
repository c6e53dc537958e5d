"""The context of every answer of a lesson: the imports and definitions of its other cells, and the files they write."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from loaderlab.course import Lesson
from loaderlab.exercises.definitions import definitions

_WRITE = re.compile(r"%%writefile \{lab\.scratch\}/(\S+)\n")


@dataclass(frozen=True)
class Given:
    """Statements of Python, one text each, in order; and files by their names."""

    statements: tuple[str, ...]
    files: dict[str, str]


@cache
def cells(source: Path) -> tuple[NotebookNode, ...]:
    """Return the code cells of a lesson.md."""
    notebook = jupytext.reads(source.read_text("utf-8"), fmt="md:myst")
    return tuple(cell for cell in notebook.cells if cell.cell_type == "code")


def given(lesson: Lesson) -> Given:
    """Return the definitions in the cells of lesson.md that are no answers."""
    statements: list[str] = []
    files: dict[str, str] = {}
    for cell in cells(lesson.folder / "lesson.md"):
        if "exercise" in cell.metadata or "check" in cell.metadata:
            continue
        if file := _WRITE.match(cell.source):
            files[file[1]] = cell.source[file.end() :]
        elif not cell.source.lstrip().startswith("%"):
            statements += [ast.unparse(s) for s in definitions(ast.parse(cell.source).body)]
    return Given(tuple(statements), files)

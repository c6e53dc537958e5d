"""What a lesson gives to every answer: the imports and definitions of its other cells, and the files they write."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import jupytext

from loaderlab.course import Lesson

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
            statements += _definitions(cell.source)
    return Given(tuple(statements), files)


def _definitions(source: str) -> list[str]:
    """The imports, functions, classes and constants of a cell; the whole cell where it only imports and assigns."""
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    body = ast.parse(source).body
    whole = isinstance(body[0], kept[:2]) and all(isinstance(s, (*kept[:2], ast.Assign)) for s in body)
    return [ast.unparse(s) for s in body if whole or isinstance(s, kept) or _is_constant(s)]


def _is_constant(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    try:
        ast.literal_eval(statement.value)
    except ValueError:
        return False
    return True

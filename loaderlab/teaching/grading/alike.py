"""Answers of several students that are one and the same program."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from loaderlab import course
from loaderlab.teaching.grading.context_cells import cells
from loaderlab.teaching.grading.grade import Result

LONGEST = 20_000  # characters of an answer that is compared; the longest of the course has 3000
OWN = 3  # lines, none of them in the published solution, from which on it is hardly chance that two answers are equal

_MAGIC = re.compile(r"\A\s*(?:(?:%%|#)[^\n]*\n\s*)*%%[^\n]*\n")


class Alike(NamedTuple):
    """An exercise, and the results of several students whose answers to it are equal."""

    exercise: str
    results: tuple[Result, ...]


def alike(results: Sequence[Result]) -> list[Alike]:
    """Return the answers that are equal but for comments, docstrings, spaces and line breaks.

    Those do not count that have fewer than ``OWN`` lines which the published solution has not. What is no plain Python
    is not compared.
    """
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        for exercise, source in result.submission.answers.items():
            if program := _program(source):
                groups[exercise, program].append(result)
    found = []
    for (exercise, program), group in groups.items():
        several = len({result.submission.student for result in group}) > 1
        if several and len(_lines(program) - _published(group[0], exercise)) >= OWN:
            found.append(Alike(exercise, tuple(group)))
    return found


def _published(result: Result, exercise: str) -> set[str]:
    """Return the lines of the solution that the lesson publishes."""
    return _lines(_program(_solutions(result.submission.lesson or "").get(exercise, "")))


def _solutions(lesson: str) -> dict[str, str]:
    found = cells(course.lesson(lesson).folder / "lesson.md")
    return {cell.metadata["exercise"]: cell.source for cell in found if "exercise" in cell.metadata}


def _lines(program: str) -> set[str]:
    return {line.strip() for line in program.splitlines() if line.strip()}


def _program(source: str) -> str:
    """Return the source as Python writes its syntax tree, without docstrings; "" where that is not possible."""
    if len(source) > LONGEST:
        return ""
    try:
        tree = ast.parse(textwrap.dedent(_MAGIC.sub("", source)))
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(
                node
            ):
                del node.body[0]
        return ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # as hostile code makes of the parser
        return ""

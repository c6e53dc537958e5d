"""Answers of several students that are one and the same program."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
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


class Program(NamedTuple):
    """An answer as Python writes its syntax tree, without docstrings; and the same with its local names counted through."""

    text: str = ""
    nameless: str = ""


def alike(results: Sequence[Result]) -> list[Alike]:
    """Return the answers that are equal but for comments, docstrings, spaces, line breaks and local names; small groups first.

    Those do not count that have fewer than ``OWN`` lines which the published solution has not. What is no plain Python
    is not compared.
    """
    groups: dict[tuple[str, str], list[tuple[Result, Program]]] = defaultdict(list)
    for result in results:
        for exercise, source in result.submission.answers.items():
            if (program := _program(source)).text:
                groups[exercise, program.nameless].append((result, program))
    found = []
    for (exercise, _nameless), group in groups.items():
        several = len({result.submission.student for result, _program in group}) > 1
        published = _published(group[0][0], exercise)
        if several and min(_own(program, published) for _result, program in group) >= OWN:
            found.append(Alike(exercise, tuple(result for result, _program in group)))
    return sorted(found, key=lambda one: len(one.results))


def is_published(result: Result, exercise: str) -> bool:
    """Return whether an answer is the solution that the lesson publishes, and too long to be that by chance."""
    program = _program(result.submission.answers.get(exercise, ""))
    return len(_lines(program.text)) > OWN and program.nameless == _published(result, exercise).nameless


def _published(result: Result, exercise: str) -> Program:
    """Return the solution that the lesson publishes."""
    return _program(_solutions(result.submission.lesson or "").get(exercise, ""))


def _own(program: Program, published: Program) -> int:
    """Return how many lines of a program the published one has not, whatever their names."""
    pairs = zip(program, published, strict=True)
    return min(len(_lines(one) - _lines(other)) for one, other in pairs)


@cache
def _solutions(lesson: str) -> dict[str, str]:
    found = cells(course.lesson(lesson).folder / "lesson.md")
    return {cell.metadata["exercise"]: cell.source for cell in found if "exercise" in cell.metadata}


def _lines(program: str) -> set[str]:
    return {line.strip() for line in program.splitlines() if line.strip()}


def _program(source: str) -> Program:
    """Return the program of an answer; an empty one where it is no plain Python."""
    if len(source) > LONGEST:
        return Program()
    try:
        tree = ast.parse(textwrap.dedent(_MAGIC.sub("", source)))
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(
                node
            ):
                del node.body[0]
        text = ast.unparse(tree)
        for node in tree.body:
            functions = node.body if isinstance(node, ast.ClassDef) else [node]
            for function in functions:
                if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    _count_names(function)
        return Program(text, ast.unparse(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # as hostile code makes of the parser
        return Program()


def _count_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Give the local names of a function numbers in the order in which they come; its parameters are the exercise's."""
    given = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    nodes = [node for part in function.body for node in ast.walk(part)]
    kept = given | {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    numbers: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in kept:
            numbers.setdefault(node.id, f"_{len(numbers)}")
        elif isinstance(node, ast.arg) and node.arg not in kept:
            numbers.setdefault(node.arg, f"_{len(numbers)}")
    for node in nodes:
        if isinstance(node, ast.Name):
            node.id = numbers.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = numbers.get(node.arg, node.arg)
        elif isinstance(node, ast.Nonlocal):
            node.names = [numbers.get(name, name) for name in node.names]

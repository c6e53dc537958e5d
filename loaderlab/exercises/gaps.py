"""Gaps: the places of an answer where the lesson's ``raise NotImplementedError`` still stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def is_untouched(answer: Any, parts: tuple[str, ...]) -> bool:
    """Return whether all ``parts`` are gaps: methods of a class, or what a file defines ("Dataset.__len__", "collate").

    Without parts the answer itself is the only one.
    """
    if isinstance(answer, str | Path):
        try:
            tree = ast.parse(Path(answer).read_text("utf-8"))
        except (SyntaxError, ValueError):  # somebody has written something
            return False
        return all(_is_gap(_find(tree, part)) for part in parts)
    functions = [getattr(answer, part, None) for part in parts] or [answer]
    return all(_only_raises(function) for function in functions)


def bridged(source: str) -> str:
    """Return ``source`` with ``pass`` for each gap in the body of a class, which then is as what it inherits from."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        for gap in _raises(node) if isinstance(node, ast.ClassDef) else ():
            lines[gap.lineno - 1] = " " * gap.col_offset + "pass"
    return "\n".join(lines)


def where(error: NotImplementedError) -> str:
    """Return the name of the function that is still to be written."""
    trace, name = error.__traceback__, ""
    while trace is not None:
        name, trace = trace.tb_frame.f_code.co_name, trace.tb_next
    return name


def _gap() -> None:
    """Stand for the body that the lesson leaves, to compare others with."""
    raise NotImplementedError


def _only_raises(function: Any) -> bool:
    code, gap = getattr(function, "__code__", None), _gap.__code__
    # The instructions, too: arithmetic above a raise that was left in place uses no other name either.
    return code is not None and (code.co_code, code.co_names) == (gap.co_code, gap.co_names)


def _find(tree: ast.Module, part: str) -> ast.AST | None:
    found: ast.AST | None = tree
    for name in part.split("."):
        found = next((node for node in getattr(found, "body", ()) if getattr(node, "name", "") == name), None)
    return found


def _is_gap(node: ast.AST | None) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(_raises(node)) and not any(isinstance(inner, ast.FunctionDef) for inner in node.body)
    if isinstance(node, ast.FunctionDef):
        body = [inner for inner in node.body if not isinstance(inner, ast.Expr)]  # without the docstring
        return len(body) == 1 and any(_raises(node))
    return False


def _raises(node: ast.ClassDef | ast.FunctionDef) -> Iterator[ast.Raise]:
    for inner in node.body:
        if isinstance(inner, ast.Raise) and getattr(inner.exc, "id", "") == "NotImplementedError":
            yield inner

"""The names that an answer takes from cells that the class grader does not run: said before it costs points."""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any

from loaderlab.exercises.definitions import assigned, definitions
from loaderlab.i18n.language import translate as _


def warnings(name: str, answer: Any) -> list[str]:
    """Return sentences on what `loaderlab grade` would not find of this answer to the exercise ``name``; none for a file."""
    names = vars(sys.modules["__main__"])
    if getattr(answer, "__module__", None) != "__main__":
        return []
    said = []
    if elsewhere(name, answer):
        words = _(
            "`{other}` is taken as an example, and gives no points. Your answer must be called `{name}`: "
            "`loaderlab grade` looks for that name."
        )
        said.append(words.format(other=getattr(answer, "__name__", answer), name=name))
    wanted = _(
        "`{name}` is computed in another cell, which `loaderlab grade` does not run: from other cells it takes only "
        "imports, functions, classes and constants. Compute it in the cell of your answer."
    )
    return said + [wanted.format(name=each) for each in borrowed(names.get("In", []), name, answer, names)]


def elsewhere(name: str, answer: Any) -> bool:
    """Return whether an answer of a cell has another name than the exercise, under which nobody looks for it."""
    in_a_cell = getattr(answer, "__module__", None) == "__main__"
    return in_a_cell and vars(sys.modules["__main__"]).get(name) is not answer


def borrowed(cells: Sequence[str], name: str, answer: Any, names: dict[str, Any]) -> list[str]:
    """Return those of ``names`` that the answer uses and no cell defines plainly; ``cells``: the sources that were run, in order."""
    known, computed, own = {name}, set(), set[str]()
    for cell in cells:
        with suppress(SyntaxError, ValueError, RecursionError):
            body = ast.parse(cell).body
            known |= assigned(definitions(body))
            here = assigned(body)
            computed |= here
            own = here if name in here else own  # the last one that defines the answer
    return sorted(_used(answer, names) & computed - known - own)


def _used(answer: Any, names: dict[str, Any]) -> set[str]:
    """Return the global names that the answer loads, and those that functions and classes of cells among these load."""
    used: set[str] = set()
    waiting = [answer]
    while waiting:
        for each in {
            found for code in _codes(waiting.pop()) for found in _globals(code)
        } & names.keys() - used:
            used.add(each)
            if getattr(names[each], "__module__", None) == "__main__":
                waiting.append(names[each])
    return used


def _codes(thing: Any) -> Iterator[CodeType]:
    parts = vars(thing).values() if isinstance(thing, type) else [thing]
    for part in parts:
        function = getattr(part, "__func__", getattr(part, "fget", part))
        function = getattr(function, "__wrapped__", function)
        if isinstance(function, FunctionType):
            yield function.__code__


def _globals(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _globals(inner)

"""Hints and solution of an exercise, which stand in lesson.md: the list below its statement, and its answer cell.

Read by the standard library, since a browser asks, too; :mod:`loaderlab.publish.source` reads all of a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

_HINTS = re.compile(r'^\+\+\+ \{"hints": "(\w+)"\}\n(.*?)(?=^(?:\+\+\+|```))', re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?::[^\n]*\n)*?:exercise: (\w+)\n(?::[^\n]*\n)*(.*?)^```\n",
    re.MULTILINE | re.DOTALL,
)


def hints(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the hints of a lesson, in English, by the name of their exercise: the items of the list below its statement."""
    return {
        name: tuple(re.findall(r"^- (.+)$", items, re.MULTILINE))
        for name, items in _HINTS.findall(_text(folder))
    }


def solution(module: str, name: str, **given: Any) -> Callable[..., Any]:
    """Return the function that the answer cell of the exercise ``name`` defines, with its solution.

    ``module``: a file of the lesson's folder; ``given``: what the cell takes from others above it. It is run when the
    function is first called.
    """

    def right(*arguments: Any) -> Any:
        return _defined(Path(module).parent, name, tuple(given.items()))(*arguments)

    return right


@cache
def _defined(folder: Path, name: str, given: Iterable[tuple[str, Any]]) -> Any:
    names = dict(given)
    exec(dict(_ANSWER.findall(_text(folder)))[name], names)
    return names[name]


def essence(text: str) -> str:
    """Return what of a lesson.md this module reads: the rest is no business of a browser."""
    return "+++\n".join(match[0] for pattern in (_HINTS, _ANSWER) for match in pattern.finditer(text))


def _text(folder: Path) -> str:
    return (folder / "lesson.md").read_text("utf-8")

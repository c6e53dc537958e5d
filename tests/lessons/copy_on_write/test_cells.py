"""Lesson 5 where nothing can be forked: no verdict says `[]`, each says why there is nothing to judge."""

from __future__ import annotations

import ast
from typing import Any

from loaderlab import course
from loaderlab.notebook.rows import Rows
from loaderlab.publish.source import read

NOTHING = Rows(why="Nothing forks here.")
MEASURED = ("touched", "read", "ends", "mapped", "swept", "written", "collector", "spawned")


def test_a_verdict_without_a_measurement_says_why() -> None:
    verdicts = []
    for cell in read(course.lesson("copy_on_write")).cells:
        if not cell.is_code or cell.exercise or cell.source.startswith("%"):
            continue
        *before, last = ast.parse(cell.source).body
        parts = list(ast.walk(last))
        judges = isinstance(last, ast.Expr) and any(isinstance(part, ast.ListComp) for part in parts)
        if judges and not any(isinstance(part, ast.Name) and part.id == "lab" for part in parts):
            names: dict[str, Any] = dict.fromkeys(MEASURED, NOTHING)
            exec(compile(ast.Module(before, []), cell.where, "exec"), names)
            verdicts.append(eval(ast.unparse(last), names))
    assert len(verdicts) == len(MEASURED) and all(one is NOTHING for one in verdicts), verdicts
    assert repr(NOTHING) == "Nothing forks here."

"""Lesson 5 where nothing can be forked: each comparison has nothing to compare, and none fails."""

from __future__ import annotations

import ast
from typing import Any

from loaderlab import course
from loaderlab.notebook.rows import Rows
from loaderlab.publish.source import read

MEASURED = ("idle", "touched", "read", "swept", "spawned")


def test_without_a_measurement_nothing_is_compared() -> None:
    compared: dict[str, Any] = {}

    class Lab:
        compare = staticmethod(compared.__setitem__)

    for cell in read(course.lesson("copy_on_write")).cells:
        if (
            cell.is_code
            and not cell.source.startswith("%")
            and "lab.compare(" in cell.source
            and "bytes_of" not in cell.source
        ):
            names: dict[str, Any] = {name: Rows(why="Nothing forks here.") for name in MEASURED}
            exec(compile(ast.parse(cell.source), cell.where, "exec"), names | {"lab": Lab})
    assert compared == dict.fromkeys(("idle", "pages", "tenth", "times", "shared"))

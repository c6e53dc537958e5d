"""Runs inside the sandbox: what the lesson gives, the answer, its probe; the evidence leaves as one line of JSON."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any
from unittest.mock import Mock

from IPython.core.inputtransformer2 import TransformerManager

import loaderlab
from loaderlab.exercises.definitions import definitions
from loaderlab.exercises.probing import Probe, collect
from loaderlab.measuring import child
from loaderlab.measuring.limits import OutOfTime, time_limit
from loaderlab.teaching.grading import forked
from loaderlab.teaching.grading.guard import Guard
from loaderlab.teaching.grading.limits import DEFINING, HELPING

_WRITES_A_FILE = re.compile(r"\A\s*(?:#[^\n]*\n\s*)*%%(?:writefile|file)\b")
_CELL_MAGIC = re.compile(r"\A\s*(?:%%\w[^\n]*\n\s*)+")

# answer (source of its cell), cells (of the others), statements (of the lesson), files (name -> text), file (the answer's
# name among them, where the answer is a file)
Request = Mapping[str, Any]


def run(request: Request, probe: Probe, guard: Guard, sink: int, token: str) -> None:
    """Probe one answer, and write ``token`` and the outcome to the open file ``sink``."""
    encode, write, own_pid, pid = json.JSONEncoder().encode, os.write, os.getpid, os.getpid()
    kind, name = probe.kind, probe.name
    trusted = replace(probe)
    scratch = loaderlab.scratch  # the folder that a lesson's `%%writefile {lab.scratch}/…` writes to
    for file, text in request["files"].items():
        with suppress(OSError, ValueError):  # a name that no file can have
            (scratch / file).write_text(text, encoding="utf-8")
    outcome: dict[str, Any]
    before: list[str] = []
    problem = ""
    if kind == "file":
        # Nothing of the answer runs in this process.
        child.run = partial(forked.run, real=probe.serial)
        answer: Any = scratch / request["file"]
    else:
        answer, problem = _define(request, name)
        before = guard.restore()
    if answer is None:
        outcome = {"status": "undefined", "got": problem}
    else:
        try:
            outcome = collect(trusted, answer)
        except BaseException as error:  # noqa: BLE001 (SystemExit, say)
            outcome = {"status": "raised", "got": type(error).__name__}
    outcome["slow"] = problem == "time"
    during = [] if kind == "file" else guard.restore()
    line = f"{token}{encode({'collected': outcome, 'before': before, 'during': during})}\n".encode()
    if own_pid() == pid:  # and not a copy of this process, which the answer forked
        while line:
            line = line[write(sink, line) :]


def _define(request: Request, name: str) -> tuple[Any, str]:
    """Return the value of ``name`` after all that could be run, and the error of the answer's cell ("time": it took too long)."""
    module = sys.modules["__main__"] = ModuleType("__main__")
    names = module.__dict__
    for statement in request["statements"]:
        with suppress(Exception):
            exec(compile(statement, "<lesson>", "exec"), names)
    # IPython knows a magic from a line that goes on with `% b`. Magics do nothing here.
    names["get_ipython"] = Mock
    with suppress(OutOfTime), time_limit(HELPING):
        known = set(request["statements"])
        for cell in request["cells"]:
            with suppress(Exception):
                _run((s for s in definitions(_parsed(cell)) if ast.unparse(s) not in known), names)
    problem = ""
    try:
        body = _parsed(request["answer"])
    except Exception as error:  # noqa: BLE001 (a SyntaxError, and what hostile code makes of the parser)
        body, problem = [], f"{type(error).__name__}: {error}"
    left = iter(body)
    try:
        with time_limit(DEFINING):
            problem = _run(left, names) or problem
    except OutOfTime:
        problem = "time"
        with suppress(OutOfTime), time_limit(HELPING):
            _run(definitions(list(left)), names)
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # /dev/null
    return names.get(name), problem


def _parsed(source: str) -> list[ast.stmt]:
    """Return the statements of a cell, its magics made plain Python; of one that writes a file none, as in the notebook."""
    if _WRITES_A_FILE.match(source):
        return []
    source = _CELL_MAGIC.sub("", source)
    try:
        return ast.parse(source).body
    except SyntaxError:  # a magic, an indented cell
        return ast.parse(TransformerManager().transform_cell(source)).body


def _run(statements: Iterable[ast.stmt], names: dict[str, Any]) -> str:
    """Run them one by one, those after one that raised as well; returns what the first of these raised.

    What a cell measures, shows or checks may need what is not here, and its definitions stand below. An exit ends the cell,
    as in the notebook.
    """
    problem = ""
    for statement in statements:
        try:
            code = compile(
                ast.Module([statement], []), "<answer>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            )
            waiting = eval(code, names)
            if code.co_flags & inspect.CO_COROUTINE:
                asyncio.run(waiting)
        except OutOfTime:
            raise
        except BaseException as error:  # noqa: BLE001 (SystemExit too)
            with suppress(BaseException):
                problem = problem or f"{type(error).__name__}: {error}"
            if isinstance(error, SystemExit):
                break
    return problem

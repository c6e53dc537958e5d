"""Runs inside the sandbox: what the lesson gives, the answer, its probe; the evidence leaves as one line of JSON."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

from IPython.core.inputtransformer2 import TransformerManager

import loaderlab
from loaderlab import child
from loaderlab.limits import OutOfTime, time_limit
from loaderlab.probing import Probe, collect
from loaderlab.workshop.grading import forked
from loaderlab.workshop.grading.guard import Guard

DEFINING = 20.0  # seconds that the cell itself may take, before anything is asked of it
_WRITE = re.compile(r"%%writefile\s+(?:-a\s+)?(\S+)[^\n]*\n?")
_CELL_MAGIC = re.compile(r"\A\s*%%\w+[^\n]*\n")

# exercise, answers (name -> source), statements (of the lesson), files (name -> text)
Request = Mapping[str, Any]


def run(request: Request, probe: Probe, guard: Guard, sink: int, token: str) -> None:
    """Probe one answer, and write ``token`` and the outcome to the open file ``sink``."""
    encode, write, own_pid, pid = json.JSONEncoder().encode, os.write, os.getpid, os.getpid()
    kind, name = probe.kind, probe.name
    trusted = Probe(name, kind, probe.run, probe.seconds)
    scratch = loaderlab.scratch  # the folder that a lesson's `%%writefile {lab.scratch}/…` writes to
    for file, text in request["files"].items():
        (scratch / file).write_text(text, encoding="utf-8")
    written = {
        exercise: scratch / Path(found[1]).name
        for exercise, source in request["answers"].items()
        if (found := _WRITE.match(source.lstrip()))
    }
    for exercise, path in written.items():
        path.write_text(_WRITE.sub("", request["answers"][exercise].lstrip(), count=1), encoding="utf-8")
    outcome: dict[str, Any]
    before: list[str] = []
    if kind == "file":
        child.run = forked.run  # nothing of the answer runs in this process
        answer: Any = written.get(name)
        problem = "" if answer else "NameError: %%writefile"
    else:
        answer, problem = _define(request, name)
        before = guard.restore()
    if answer is None:
        outcome = {"status": "undefined", "got": problem}
    elif problem == "time":
        outcome = {"status": "time"}
    else:
        try:
            outcome = collect(trusted, answer)
        except BaseException as error:  # SystemExit, say
            outcome = {"status": "raised", "got": type(error).__name__}
    during = [] if kind == "file" else guard.restore()
    line = f"{token}{encode({'collected': outcome, 'before': before, 'during': during})}\n".encode()
    if own_pid() == pid:  # and not a copy of this process, which the answer forked
        while line:
            line = line[write(sink, line) :]


def _define(request: Request, name: str) -> tuple[Any, str]:
    """What ``name`` stands for after the lesson's statements and the answer's cell, and what the cell raised."""
    module = sys.modules["__main__"] = ModuleType("__main__")
    for statement in request["statements"]:
        with suppress(Exception):
            exec(compile(statement, "<lesson>", "exec"), module.__dict__)
    # IPython knows a magic from a line that goes on with `% b`. Magics do nothing here.
    module.__dict__["get_ipython"] = Mock
    problem = ""
    try:
        with time_limit(DEFINING):
            source = TransformerManager().transform_cell(_CELL_MAGIC.sub("", request["answers"][name]))
            exec(compile(source, "<answer>", "exec"), module.__dict__)
    except OutOfTime:
        problem = "time"
    except BaseException as error:  # SystemExit too: the cell is over, and what it defined stays
        with suppress(BaseException):
            problem = f"{type(error).__name__}: {error}"
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # /dev/null
    return module.__dict__.get(name), problem

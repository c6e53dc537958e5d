"""The recordings that the cells of a lesson ask for: one that none asks for is shown nowhere."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loaderlab.notebook import recordings
from loaderlab.publish import code
from loaderlab.publish.source import Source


def unasked(source: Source) -> Iterator[Path]:
    """Yield the recordings in a lesson's folder that no cell of it shows; raises :class:`LabError` for a file that is none."""
    for path in source.lesson.recordings:
        found = recordings.read(path)
        if found["lesson"] != source.lesson.name or not any(
            _shows(call, found) for cell in source.cells if cell.is_code for call in _calls(cell.source)
        ):
            yield path


def _calls(cell: str) -> Iterator[ast.Call]:
    yield from code.calls(cell, "benchmark")
    yield from code.calls(cell, "recorded")


def _shows(call: ast.Call, recording: dict[str, Any]) -> bool:
    """Return whether the call shows the recording: by name, and for a benchmark by its arguments, as far as the cell itself has them."""
    (benchmark,) = call.args
    if isinstance(benchmark, ast.Constant):
        return bool(benchmark.value == recording["benchmark"])
    arguments = {word.arg: word.value for word in call.keywords if word.arg != "requires"}
    return (
        ast.unparse(benchmark).rpartition(".")[2] == recording["benchmark"]
        and arguments.keys() == recording["arguments"].keys()
        and all(_may_be(value, recording["arguments"][name]) for name, value in arguments.items() if name)
    )


def _may_be(written: ast.expr, recorded: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(ast.literal_eval(written))) == recorded)
    except ValueError:  # a name, or something computed
        return True

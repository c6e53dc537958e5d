"""A lap: lessons run whole on this machine, a failing cell being no reason to stop, and what they measured kept."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.language import translate as _
from loaderlab.notebook import recordings
from loaderlab.publish import bootstrap_cell, catalog, execution, notebook
from loaderlab.publish.checkout import EXERCISES, Checkout, write
from loaderlab.publish.edition import edition
from loaderlab.publish.source import read

if TYPE_CHECKING:
    from nbformat import NotebookNode

SECONDS_PER_CELL = 240  # a benchmark is made for a minute at most; what takes longer than this hangs
_SAID = 600  # characters of what a cell said that the summary keeps


@dataclass(frozen=True)
class Ran:
    """The outcome of one cell: a benchmark for a GPU, or any cell that failed. ``cell`` counts the notebook's cells from 0."""

    lesson: str
    cell: int
    gpu: bool
    failed: bool
    seconds: float
    code: str
    said: str

    def __str__(self) -> str:
        return f"{'✗' if self.failed else '✓'} {self.lesson} [{self.cell}] {self.seconds:.1f} s  {self.code}\n    {self.said}"


def run(
    checkout: Checkout,
    names: Sequence[str],
    out: Path,
    say: Callable[[str], None] = print,
) -> list[Ran]:
    """Run these English lessons whole, those with the most GPU cells first; returns what became of their GPU cells.

    Written at once after each lesson, so that a lap can be ended at any time: ``out/recordings/<lesson>/``, what its
    benchmarks measured; ``out/executed/``, the notebooks with their outputs; ``out/cells.json``, what is returned. A
    cell that fails, hangs or ends its kernel is said and returned, and nothing is raised.
    """
    package = catalog.of_package(checkout)
    lessons = [lesson for lesson in checkout.lessons if lesson.name in names]
    notebooks = {
        lesson.name: notebook.assemble(edition(checkout, read(lesson), "en", package), EXERCISES)
        for lesson in lessons
    }
    lessons.sort(key=lambda lesson: -sum(map(_is_gpu, notebooks[lesson.name].cells)))
    done: list[Ran] = []
    for lesson in lessons:
        document = notebooks[lesson.name]
        say(_("running: {file}").format(file=lesson.file))
        kept = out / "recordings" / lesson.name
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
            kernel = {**execution.environment(checkout), recordings.RECORD: str(kept.resolve())}
            seconds, end = execution.attempt(document, Path(folder), kernel, SECONDS_PER_CELL)
        for ran in _told(lesson.name, document, seconds, end):
            say(str(ran))
            done.append(ran)
        say(_("seconds: {seconds:.1f}").format(seconds=sum(seconds.values())))
        write(out / "executed" / lesson.file, notebook.canonical(document))
        write(
            out / "cells.json", json.dumps([asdict(ran) for ran in done], indent=1, ensure_ascii=False) + "\n"
        )
    return done


def _is_gpu(cell: NotebookNode) -> bool:
    return "gpu" in cell.metadata.get("tags", ())


def _told(name: str, document: NotebookNode, seconds: Mapping[int, float], end: str) -> Iterator[Ran]:
    """Yield the GPU cells, those that failed, and the one in which the kernel died."""
    cells = [
        (i, cell)
        for i, cell in enumerate(document.cells)
        if cell.cell_type == "code" and cell.id != bootstrap_cell.ID
    ]
    lost = [i for i, _cell in cells if i not in seconds] if end else []
    for i, cell in cells:
        errors = [f"{each.ename}: {each.evalue}" for each in cell.outputs if each.output_type == "error"]
        if i in lost:
            errors.append(end)
        if _is_gpu(cell) or (errors and i not in lost[1:]):
            said = "; ".join(errors) or " ".join(_texts(cell))
            code = cell.source.strip().split("\n")[-1]
            yield Ran(name, i, _is_gpu(cell), bool(errors), round(seconds.get(i, 0.0), 1), code, said[:_SAID])


def _texts(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        yield output.get("data", {}).get("text/plain", output.get("text", ""))

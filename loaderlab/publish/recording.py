"""`loaderlab record`: run lessons on this machine, a failing cell being no reason to stop, and keep what their benchmarks measured."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.i18n.language import translate as _
from loaderlab.notebook import recordings
from loaderlab.publish import bootstrap_cell, catalog, execution, notebook
from loaderlab.publish.checkout import EXERCISES, Checkout, here, write
from loaderlab.publish.edition import edition
from loaderlab.publish.source import read

if TYPE_CHECKING:
    from nbformat import NotebookNode

SECONDS_PER_CELL = 240  # a benchmark is made for a minute at most; what takes longer than this hangs
_SAID = 600  # characters of what a cell said that the summary keeps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab record`."""
    add = parser.add_argument
    add("lessons", nargs="*", help="names of lessons (default: all)")
    add("--out", type=Path, metavar="DIR",
        help="recordings, executed notebooks and a summary of the GPU cells go here, and nothing into the lessons")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Record, and print the files that were written; returns the exit status: 1 where a cell failed."""
    checkout = here()
    names = checkout.chosen(options.lessons)
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as scratch:
        done = lap(checkout, names, options.out or Path(scratch))
        if not options.out:
            for path in kept(checkout, done, Path(scratch)):
                print(path)
    return int(any(ran.failed for ran in done))


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


def lap(checkout: Checkout, names: Sequence[str], out: Path, say: Callable[[str], None] = print) -> list[Ran]:
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
        measured = out / "recordings" / lesson.name
        measured.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
            kernel = {**execution.environment(checkout), recordings.RECORD: str(measured.resolve())}
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


def kept(checkout: Checkout, done: Sequence[Ran], out: Path) -> Iterator[Path]:
    """Move what a lap measured from ``out`` into the lessons of which no cell failed; yields the files.

    A recording names the device that it was made on, and replaces the older one of that device.
    """
    failed = {ran.lesson for ran in done if ran.failed}
    for lesson in checkout.lessons:
        if lesson.name not in failed:
            for path in sorted((out / "recordings" / lesson.name).glob("*.json")):
                target = lesson.folder / "recordings" / path.name
                write(target, path.read_text("utf-8"))
                yield target


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

"""`python tools/seconds.py [LESSON…]`: which cells of the English lessons take more than 2 seconds here.

Run it where nothing else runs: it says how many of the cores other programs used in each cell. Ends with 1 where a cell takes
more than 20 seconds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from loaderlab import course
from loaderlab.measuring.others import Others
from loaderlab.measuring.patience import QUIET

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
SAID, MOST = 2, 20  # seconds


def cells(lesson: course.Lesson) -> list[tuple[float, float, str]]:
    """Return the seconds of each cell, the cores that others used meanwhile, and its last line."""
    notebook = nbformat.read(NOTEBOOKS / f"{lesson.file}.ipynb", as_version=4)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}})
        with client.setup_kernel():
            for at, cell in enumerate(notebook.cells):
                if cell.cell_type == "code":
                    others, started = Others(), time.perf_counter()
                    client.execute_cell(cell, at)
                    seconds = time.perf_counter() - started
                    found.append((seconds, others.cores(), cell.source.splitlines()[-1]))
    return found


def main(names: list[str]) -> int:
    os.environ[QUIET] = "1"
    slowest = 0.0
    for lesson in course.lessons():
        if not names or lesson.name in names:
            for seconds, busy, line in cells(lesson):
                slowest = max(slowest, seconds)
                if seconds > SAID:
                    print(
                        f"{lesson.file} {seconds:6.1f} s  others: {busy:.1f} cores  {line[:90]}", flush=True
                    )
    print(f"slowest: {slowest:.1f} s")
    return int(slowest > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

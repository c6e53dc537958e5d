"""The line that a long cell shows while it runs: its work, and for how long. When it is done, nothing of it is left.

The line is an output that is emptied at the end; what runs a notebook without a reader sets QUIET, and has no such output.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

QUIET = "LOADERLAB_QUIET"  # environment variable: nobody looks on

_said: list[str] = []  # by what runs now; what it calls says something else meanwhile
_line: tuple[int, Any] | None = None  # the number of the cell, and its line


@contextmanager
def saying(words: str) -> Iterator[Callable[[str], None]]:
    """Show ``words`` below the cell while this runs; what it yields shows other words instead."""
    at = len(_said)
    _said.append(words)
    _show()

    def instead(other: str) -> None:
        _said[at] = other
        _show()

    try:
        yield instead
    finally:
        del _said[at:]
        _show()


def _show() -> None:
    global _line
    shell = _shell()
    if shell is None:
        return
    from IPython.display import HTML, display

    words = f'<p role="status">⏳ {escape(_said[-1])}</p>' if _said else ""
    if _line is not None and _line[0] == shell.execution_count:
        _line[1].update(HTML(words))
    elif words:
        _line = shell.execution_count, display(HTML(words), display_id=True)


def _shell() -> Any:
    """Return the shell of the notebook, if there is a reader, and this is not a process that it started."""
    if os.environ.get(QUIET) or "IPython" not in sys.modules or multiprocessing.parent_process() is not None:
        return None
    shell = sys.modules["IPython"].get_ipython()
    return shell if hasattr(shell, "kernel") else None

"""Scripts that fill memory run apart, in a child process with a time limit; here is what they measured, in rows."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.copy_on_write import watch
from loaderlab.measuring import child, memory
from loaderlab.notebook import change as card
from loaderlab.notebook.rows import Rows

if TYPE_CHECKING:
    from loaderlab.notebook.card import Note
    from loaderlab.notebook.postcard import Postcard

MIB = 2**20


def rows(
    script: str | Path, *arguments: str, timeout: float = 60.0, fork: bool = True, mib: int = 512
) -> Rows:
    """Run a script apart, and return the rows that it says; none, with the reason, where it cannot run.

    ``fork``: it forks; ``mib``: the memory that must be available, so that nothing else is put at risk.
    """
    why = _lacking(fork, mib)
    if why:
        return Rows(why=why)
    outcome = child.run(script, *arguments, timeout=timeout)
    said = [json.loads(line) for line in outcome.output.splitlines() if line.startswith("{")]
    if outcome.timed_out:
        return Rows(said, _("Stopped after {seconds} s.").format(seconds=number(timeout)))
    if outcome.status:
        last = (outcome.errors.strip().splitlines() or [str(outcome.status)])[-1]
        return Rows(said, _("The script ended with an error: {error}").format(error=last))
    return Rows(said)


def change(
    before: Callable[[list[str]], Any], after: Callable[[list[str]], Any], strings: list[str], what: str
) -> Postcard | Note | Rows:
    """Return the card of what a forked worker copies of these strings, in either container; the reason where nothing forks."""
    if why := _lacking(fork=True, mib=128):
        return Rows(why=why)
    return card.change(
        lambda: watch.copied_mib(before, strings),
        lambda: watch.copied_mib(after, strings),
        y="worker_mib",
        what=what,
    )


def _lacking(fork: bool, mib: int) -> str:
    if fork and ("fork" not in multiprocessing.get_all_start_methods() or sys.platform == "darwin"):
        return _("This cannot be shown here: it takes Linux, where workers can be forked and looked at.")
    use = memory.of(os.getpid())
    if use.uss is None or (fork and use.pss is None):
        return _("This system does not tell USS or PSS of a process, so this cannot be shown here.")
    free = psutil.virtual_memory().available
    if free < mib * MIB:
        return _("Not run: this needs {mib} MiB of memory, and {free} MiB are available.").format(
            mib=number(mib), free=number(free / MIB)
        )
    return ""

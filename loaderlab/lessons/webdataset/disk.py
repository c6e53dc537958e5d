"""The cost of reading: opens and reads counted in a process of its own, and files put out of the page cache."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.webdataset.library import Missing, sentence
from loaderlab.measuring import child

COUNTER = Path(__file__).with_name("counter.py")


def count(
    module: Path, functions: Iterable[str], folder: Path, timeout: float = 60
) -> dict[str, dict[str, int]]:
    """Call each ``function(folder)`` of a module in a child process; counts what it delivers, its opens and reads.

    Opens are those of files in the folder. Reads are the system calls that read, which only Linux counts for us.
    """
    outcome = child.run(COUNTER, str(module), str(folder), *functions, timeout=timeout)
    try:
        return json.loads(outcome.output.splitlines()[-1])
    except (IndexError, ValueError):
        if "webdataset.library.Missing" in outcome.errors:
            raise Missing(sentence()) from None
        reason = (outcome.errors.strip().splitlines() or [_("the time limit was reached")])[-1]
        raise LabError(_("The count stopped: {reason}").format(reason=reason)) from None


def evict(paths: Iterable[Path]) -> bool:
    """Ask the system to forget what it has cached of these files; returns whether it can be asked at all."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
    return True


def from_storage() -> int | None:
    """Return the bytes that this process has had fetched from storage so far; None where the system does not say."""
    return io_counter("read_bytes")


def cold_possible(paths: Iterable[Path]) -> bool:
    """Return whether these files really leave the cache: forget them, read them, and see what came from storage."""
    paths = list(paths)
    if hasattr(os, "sync"):
        os.sync()  # a page that is not yet on the disk is not forgotten
    if not evict(paths) or from_storage() is None:
        return False
    before = from_storage() or 0
    size = sum(len(path.read_bytes()) for path in paths)
    return (from_storage() or 0) - before > size / 2


def why_not_cold() -> str:
    """Return the sentence that stands where cold reads cannot be shown."""
    return _(
        "Cold reads cannot be shown here: the system does not let a program empty the cache of these files."
    )


def io_counter(field: str) -> int | None:
    """Return the count that Linux keeps for this process under this name; None elsewhere."""
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), None)

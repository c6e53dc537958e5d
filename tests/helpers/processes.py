"""The processes on this machine."""

from __future__ import annotations

from pathlib import Path

import psutil


def children() -> set[psutil.Process]:
    """Return the processes that this one, and those below it, have started, but for torch's and Python's own helpers."""
    helpers = ("torch_shm_manager", "resource_tracker", "forkserver")
    found = set()
    for process in psutil.Process().children(recursive=True):
        try:
            if not any(name in " ".join(process.cmdline()) for name in helpers):
                found.add(process)
        except psutil.NoSuchProcess:
            continue
    return found


def running(script: Path) -> list[psutil.Process]:
    """Return the processes that have this script on their command line."""
    return [p for p in psutil.process_iter(["cmdline"]) if str(script) in (p.info["cmdline"] or [])]

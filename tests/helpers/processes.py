"""The processes on this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil


def python(code: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run code in a new process of Python, and return what it said and how it ended."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)


def children() -> set[psutil.Process]:
    """Return the processes that this one, and those below it, have started, but for helpers: torch's, Python's and `torch_ready`."""
    helpers = ("torch_shm_manager", "resource_tracker", "forkserver", "torch_ready")
    found = set()
    for process in psutil.Process().children(recursive=True):
        try:
            if not any(name in " ".join(process.cmdline()) for name in helpers):
                found.add(process)
        except psutil.NoSuchProcess:
            continue
    return found


def works(pid: int) -> bool:
    """Return whether there is such a process, and not only what is left of it until its parent looks."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def running(script: Path) -> list[psutil.Process]:
    """Return the processes that have this script on their command line."""
    return [p for p in psutil.process_iter(["cmdline"]) if str(script) in (p.info["cmdline"] or [])]

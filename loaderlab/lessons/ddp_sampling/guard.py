"""Run by ``launch`` in a child process: torchrun, for so many seconds, after which nothing of it is left.

Usage: guard.py SECONDS ENVIRONMENT COMMAND [ARGUMENT …], the environment as JSON, added to our own

torchrun puts each of its processes into a session of its own, so whoever ends torchrun does not end them.
On Linux this process adopts what torchrun leaves behind, and ends it. It also gives up when its parent is gone.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from contextlib import suppress

import psutil

from loaderlab.measuring import child

PR_SET_CHILD_SUBREAPER = 36
STOPPED = 124


def adopt() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants() -> None:
    """End all descendants, also those that start or are adopted meanwhile."""
    deadline = time.monotonic() + 5
    while descendants() and time.monotonic() < deadline:
        child.end(descendants)


def descendants() -> set[psutil.Process]:
    return {process for process in psutil.Process().children(recursive=True) if process.is_running()}


def main(seconds: str, environment: str, *command: str) -> int:
    adopt()
    os.environ.update(json.loads(environment))
    parent, deadline = os.getppid(), time.monotonic() + float(seconds)
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        while time.monotonic() < deadline and os.getppid() == parent:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(timeout=0.2)
        return STOPPED
    finally:
        end_descendants()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

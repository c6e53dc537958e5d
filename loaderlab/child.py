"""Run a demonstration that may hang, crash or fill memory where it can do no harm: in a child process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Outcome:
    """What came of a child process: its exit status (None: it ran past its limit), and what it printed."""

    status: int | None
    output: str
    errors: str

    @property
    def timed_out(self) -> bool:
        return self.status is None


def run(
    script: str | Path, *arguments: str, timeout: float = 60.0, path: Sequence[str | Path] = ()
) -> Outcome:
    """Run a Python script in a child process of its own session, for at most ``timeout`` seconds.

    ``path`` is put before PYTHONPATH. Everything the script started is ended before this returns, and its
    temporary files are removed, also when it is interrupted.
    """
    package = str(Path(__file__).parents[1])
    places = [*map(str, path), package, os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "PYTHONUNBUFFERED": "1"}
    # What is killed removes nothing: a worker leaves the socket over which it sends tensors. The name is
    # short because a socket's path may not be long.
    with tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as temporary:
        process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary),
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=timeout)
            return Outcome(process.returncode, output, errors)
        except subprocess.TimeoutExpired:
            end_tree(process.pid)
            output, errors = process.communicate()
            return Outcome(None, output, errors)
        finally:
            end_tree(process.pid)
            process.wait()


@contextmanager
def busy(count: int) -> Iterator[None]:
    """While the body runs, ``count`` child processes keep a core busy each, as decoding workers would."""
    command = [sys.executable, "-S", "-c", "while True: pass"]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def end_tree(pid: int) -> None:
    """Kill a process and everything that descends from it or shares its session, and wait until they are gone."""
    doomed = {p for p in psutil.process_iter() if p.pid == pid or _session(p.pid) == pid}
    for process in list(doomed):
        with suppress(psutil.NoSuchProcess):
            doomed |= set(process.children(recursive=True))
    for process in doomed:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(doomed, timeout=5)


def _session(pid: int) -> int | None:
    """The session of a process; None where systems have none (Windows) or the process is gone."""
    try:
        return os.getsid(pid)
    except (AttributeError, ProcessLookupError, PermissionError):
        return None

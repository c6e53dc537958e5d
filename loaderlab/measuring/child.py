"""Run a demonstration that may hang, crash or fill memory where it can do no harm: in a child process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import temporary
from loaderlab.measuring.others import Others
from loaderlab.measuring.patience import saying

TIDYING = ("multiprocessing.resource_tracker", "torch_shm_manager")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a child process: its exit status (None: it ran past its limit), and its output.

    ``share`` of the cores was to be had meanwhile: all that other programs left.
    """

    status: int | None
    output: str
    errors: str
    share: float = 1.0

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
    package = str(Path(__file__).parents[2])
    places = [*map(str, path), package, os.environ.get("PYTHONPATH", "")]
    # What is stopped leaves semaphores, of which their tracker would complain in the script's name.
    warnings = [os.environ.get("PYTHONWARNINGS", ""), "ignore:resource_tracker"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "PYTHONWARNINGS": ",".join(filter(None, warnings)),
        "PYTHONUNBUFFERED": "1",
    }
    # What is killed removes nothing: a worker leaves the socket over which it sends tensors. The name is
    # short because a socket's path may not be long.
    words = _("Running {script} in a process of its own, for at most {seconds} s.")
    with saying(words.format(script=Path(script).name, seconds=number(timeout))), temporary.own() as folder:
        others = Others()
        process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder)),
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=timeout)
            return Outcome(process.returncode, output, errors, others.share())
        except subprocess.TimeoutExpired:
            share = others.share()  # of what is killed, the system does not tell us what it had
            end_tree(process.pid)
            output, errors = process.communicate()
            return Outcome(None, output, errors, share)
        finally:
            end_tree(process.pid)
            process.wait()


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Let ``count`` child processes keep a core busy each, as decoding workers would, while the body runs."""
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
    end(lambda: _tree(pid))


def end(living: Callable[[], set[psutil.Process]]) -> None:
    """Kill all that ``living`` finds, and wait until they are gone.

    Those that remove what the others left in shared memory end by themselves when these are gone: for that they
    get 5 seconds.
    """
    doomed = living()
    tidying = {process for process in doomed if _tidies(process)}
    _kill(doomed - tidying)
    await_end(tidying)
    _kill(living())


def _kill(doomed: set[psutil.Process]) -> None:
    for process in doomed:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process.kill()
    await_end(doomed)


def await_end(processes: Collection[psutil.Process], seconds: float = 5) -> None:
    """Wait until they have ended. A zombie has, even if whoever adopted it never looks: in a container, often nobody does."""
    until = time.monotonic() + seconds
    while any(map(_works, psutil.wait_procs(processes, timeout=0)[1])) and time.monotonic() < until:
        time.sleep(0.005)


def _works(process: psutil.Process) -> bool:
    """Return whether there is still something to wait for: of a child of ours, until somebody looked how it ended."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE or process.ppid() == os.getpid()
    except psutil.Error:
        return False


def _tree(pid: int) -> set[psutil.Process]:
    found: set[psutil.Process] = set()
    # Not of psutil.process_iter: it remembers processes by their numbers, which in a sandbox are those of others.
    for other in psutil.pids():
        if other == pid or _session(other) == pid:
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(other)
                found |= {process, *process.children(recursive=True)}
    return found


def _tidies(process: psutil.Process) -> bool:
    """Return whether the process is multiprocessing's helper that removes semaphores, or torch's that removes segments."""
    try:
        return any(name in word for word in process.cmdline() for name in TIDYING)
    except psutil.Error:
        return False


def _session(pid: int) -> int | None:
    """Return the session of a process; None where systems have none (Windows) or the process is gone."""
    try:
        return os.getsid(pid)
    except (AttributeError, ProcessLookupError, PermissionError):
        return None

"""The stacks of a process and of those that it has started: py-spy reads them from outside, while a call holds the interpreter's
lock; where it may not, a thread reads that of another one, from inside."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

RATE = 200  # looks a second
ENDING = 10.0  # seconds for it to write what it has seen
EVERY = 0.001  # seconds between two looks from inside
# Seconds after which the thread that looks asks for the interpreter's lock, which is then given at the end of the call that has
# it. With Python's own 5 ms a call that keeps the lock would be over, and the next one be blamed.
SWITCH = 0.00001
PR_SET_PTRACER = 0x59616D61
NOWHERE = subprocess.DEVNULL
PROCESS = re.compile(r'(?:^|;)process (\d+):"')
FRAME = re.compile(r"(?:^|;)([^;]+) \(([^;]+):(\d+)\)(?=;|$)")


class Frame(NamedTuple):
    """A function that runs, and its line."""

    file: str
    line: int
    function: str  # with its class


Stack = tuple[Frame, ...]  # the outermost first


@dataclass
class Looks:
    """Microseconds for which a process had each stack: any of its threads, and those of them that computed."""

    taken: Counter[tuple[int, Stack]] = field(default_factory=Counter)
    computing: Counter[tuple[int, Stack]] = field(default_factory=Counter)
    inside: bool = False  # seen by this process itself (`watching`)

    def add(self, other: Looks) -> None:
        self.taken.update(other.taken)
        self.computing.update(other.computing)


@contextmanager
def spying() -> Iterator[Looks | None]:
    """Let py-spy look meanwhile, twice: it tells threads that compute from those that wait by leaving the latter out. None where it may
    not look (a system may forbid it, and it may not be installed); else the looks are there afterwards."""
    program = _program()
    if not program:
        yield None
        return
    be_seen(os.getpid())
    # Without stopping the process: it takes its time as ever, and both may look at once.
    command = [program, "record", "-p", str(os.getpid()), "-s", "-r", str(RATE), "-f", "raw", "--nonblocking"]
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
        running = {}
        for name, wanted in (("taken", ["--idle"]), ("computing", [])):
            options = ["--full-filenames", *wanted, "-o", str(Path(folder, name))]
            running[name] = subprocess.Popen(
                [*command, *options], stdin=NOWHERE, stdout=subprocess.PIPE, stderr=NOWHERE
            )
        looks = Looks()
        try:
            # Its first words, when it has found its way; none, where it may not.
            yield looks if all(one.stdout and one.stdout.readline() for one in running.values()) else None
        finally:
            for one in running.values():
                one.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            for name, one in running.items():
                try:
                    one.communicate(timeout=ENDING)
                except subprocess.TimeoutExpired:
                    one.kill()
                    one.communicate()
                with suppress(OSError):
                    getattr(looks, name).update(_read(Path(folder, name).read_text("utf-8", "replace")))
            be_seen(0)


def visible(by: int, function: Callable[[int], Any] | None, worker: int) -> None:
    """Let a process look at this worker, and do what the user's `worker_init_fn` does."""
    be_seen(by)
    if function:
        function(worker)


def be_seen(by: int) -> None:
    """Let what this process starts look at the one that calls, where Linux lets a process be read by its parents only (yama); 0 ends it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_ulong(by), 0, 0, 0)


def asked(pid: int) -> list[str]:
    """Return the index of the sample that a process is asked for, as the fetcher of a DataLoader, or the parts alone, name it."""
    if not (program := _program()):
        return []
    with suppress(subprocess.TimeoutExpired):
        command = [program, "dump", "--locals", "-p", str(pid)]
        said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=ENDING).stdout
        return re.findall(r"(?:fetch|parts)\.py:\d+\)\n(?: {8}.*\n)*? +idx: (\d+)", said)
    return []


def _program() -> str | None:
    beside = Path(sysconfig.get_path("scripts"), "py-spy.exe" if os.name == "nt" else "py-spy")
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def _read(text: str) -> Counter[tuple[int, Stack]]:
    """Return the microseconds of each stack in py-spy's raw format; a command in it may have line breaks."""
    found: Counter[tuple[int, Stack]] = Counter()
    for stack, count in re.findall(r"(.+?\)) (\d+)\n", text, re.DOTALL):
        processes = list(PROCESS.finditer(stack))
        frames = FRAME.findall(stack, processes[-1].end() if processes else 0)
        key = tuple(Frame(file, int(line), function) for function, file, line in frames)
        found[int(processes[-1][1]) if processes else 0, key] += int(count) * 1_000_000 // RATE
    return found


@contextmanager
def looking() -> Iterator[Looks]:
    """Look at what this thread does meanwhile: from outside where that is possible."""
    with spying() as looks:
        if looks:
            yield looks
    if not looks:
        with watching() as looks:
            yield looks


@contextmanager
def watching() -> Iterator[Looks]:
    """Let a thread look at what this one is doing meanwhile, about once a millisecond; each look weighs the time since the one before."""
    taken: Counter[tuple[int, Stack]] = Counter()
    ended, watched, before = threading.Event(), threading.get_ident(), sys.getswitchinterval()

    def look() -> None:
        at = time.perf_counter()
        while not ended.wait(EVERY):
            # First what moves on as soon as the lock is given away.
            frames = [
                (frame.f_code, line) for frame, line in traceback.walk_stack(sys._current_frames()[watched])
            ]
            now = time.perf_counter()
            stack = [
                Frame(code.co_filename, line or code.co_firstlineno, code.co_qualname)
                for code, line in frames
            ]
            taken[os.getpid(), tuple(reversed(stack))] += round(1e6 * (now - at))
            at = now

    sys.setswitchinterval(SWITCH)
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield Looks(taken, taken, inside=True)  # whether it waits is not seen from here
    finally:
        ended.set()
        thread.join()
        sys.setswitchinterval(before)

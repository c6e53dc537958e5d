"""An experiment apart: in a forked copy of this process, where it may hang, crash or leave things behind."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import psutil
import torch

ENDING = 10.0  # seconds, until a process that was killed has ended


@dataclass(frozen=True)
class Outcome:
    """The reports of an experiment until it ended, and how it ended.

    ``how``: "done"; "late" (it was stopped); "died" (``code``: exit status, negative for a signal); "raised" (``error``:
    the exception's type, ``text``: what it said, ``trace``: where). ``uncounted``: CPU seconds of processes that were
    stopped with it, which the system adds to nobody's account. ``wanted``: seconds for which it and what it started
    had a core or waited for one. ``dead``: processes that it started and that had ended by then, unnoticed.
    """

    said: list[Any] = field(default_factory=list)
    how: str = "done"
    code: int = 0
    error: str = ""
    text: str = ""
    trace: str = ""
    uncounted: float = 0.0
    wanted: float = 0.0
    dead: int = 0


_using_device: list[bool] = []


def has_device() -> bool:
    """Return whether there is an accelerator. Asking CUDA whether it is available would begin to use it, and spoil each fork."""
    if torch.version.cuda or torch.version.hip:
        return torch.cuda.device_count() > 0  # asks the management library, which uses no device
    return hasattr(torch, "accelerator") and torch.accelerator.is_available()


@contextmanager
def using_device(needed: bool) -> Iterator[None]:
    """Let experiments run in this process meanwhile where they need a device, which does not follow into a fork."""
    _using_device.append(needed)
    try:
        yield
    finally:
        _using_device.pop()


def forks() -> bool:
    """Return whether experiments run in a copy of this process: only Linux forks without harm, and no GPU follows into a fork."""
    return sys.platform == "linux" and not torch.cuda.is_initialized() and not any(_using_device)


def isolated(experiment: Callable[[], Iterator[Any]], seconds: float) -> Outcome:
    """Run a generator function in a copy of this process for at most so many seconds; what it yields is kept even if
    it does not end.

    What it yields is pickled. Nothing of it remains: no process, no change of an object or of a random generator. What it
    writes remains, and files and connections that are open are the same in both processes: it uses them for real.
    Where this process cannot fork (`forks`), a thread of it runs the experiment, and one that hangs stays.
    """
    if not forks():
        return _here(experiment, seconds)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    # What is killed removes nothing, such as the sockets over which workers send tensors: they get a folder that goes.
    folder = tempfile.TemporaryDirectory(prefix="loaderlab-", ignore_cleanup_errors=True)
    process = context.Process(target=_copy, args=(sender, experiment, torch.get_num_threads(), folder.name))
    process.start()
    sender.close()
    try:
        outcome = _heard(receiver, time.monotonic() + seconds)
        if outcome.how == "died":
            process.join(1)
        left = _left(process.pid or 0)
    finally:
        assert process.pid is not None
        tree = _tree(process.pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # it, and whatever it has started
        process.kill()  # where it was stopped before it had a group
        process.join()
        _remove_segments(tree)
        receiver.close()
        folder.cleanup()
    code = process.exitcode or 0 if outcome.how == "died" else 0
    process.close()  # its two files, which else wait for the garbage collector
    return replace(outcome, **left, code=code)


def _tree(pid: int) -> list[psutil.Process]:
    """Return a process and all that it has started and that lives."""
    with suppress(psutil.Error):
        top = psutil.Process(pid)
        return [top, *top.children(recursive=True)]
    return []


def _remove_segments(processes: list[psutil.Process]) -> None:
    """Remove the shared memory that processes have made and, as they were killed, not yet unlinked; wait until they have ended."""
    end = time.monotonic() + ENDING
    while any(_lives(process) for process in processes) and time.monotonic() < end:
        time.sleep(0.01)
    for process in processes:
        for segment in Path("/dev/shm").glob(f"torch_{process.pid}_*"):
            segment.unlink(missing_ok=True)


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)  # nobody may reap it
    return False


def _heard(receiver: Connection, end: float) -> Outcome:
    said: list[Any] = []
    try:
        while receiver.poll(max(0.0, end - time.monotonic())):
            kind, *what = receiver.recv()
            if kind != "said":
                return Outcome(said, kind, 0, *what)
            said.append(what[0])
    except EOFError:
        return Outcome(said, "died")
    return Outcome(said, "late")


def _left(pid: int) -> dict[str, Any]:
    """Return what there is to know of a process, and of its children, before they are stopped."""
    uncounted, wanted, dead = 0.0, 0.0, 0
    with suppress(psutil.Error):
        top = psutil.Process(pid)
        for process in [top, *top.children(recursive=True)]:
            with suppress(psutil.Error, OSError, IndexError):
                if process.pid != pid:
                    uncounted += sum(process.cpu_times()[:4])
                    dead += process.status() == psutil.STATUS_ZOMBIE
                for task in Path(f"/proc/{process.pid}/task").iterdir():
                    wanted += sum(map(int, (task / "schedstat").read_text().split()[:2])) / 1e9
    return {"uncounted": uncounted, "wanted": wanted, "dead": dead}


def _copy(sender: Connection, experiment: Callable[[], Iterator[Any]], threads: int, folder: str) -> None:
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    multiprocessing.current_process()._config.pop("tempdir", None)  # type: ignore[attr-defined]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()  # a crash is an outcome, of which the user's terminal hears a sentence
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (until the process ends)
    _helpers_of_its_own()
    os.setpgid(0, 0)

    def work() -> None:
        torch.set_num_threads(threads)
        for message in _messages(experiment):
            sender.send(message)

    # In a thread of its own: the threads of OpenMP that this thread had did not come along, and it would wait for them.
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    parent = multiprocessing.parent_process()
    while thread.is_alive():
        if parent is not None and wait([parent.sentinel], 0.05):
            os.killpg(0, signal.SIGKILL)
    os._exit(0)  # nothing that the original would do at its end


def _helpers_of_its_own() -> None:
    """Let the processes with which multiprocessing spawns others be new ones: those of the original would not be stopped.

    The tracker is started before this process has a group of its own: it outlives it, removes its semaphores, and ends.
    """
    server: Any = forkserver._forkserver
    server._forkserver_alive_fd = server._forkserver_address = server._forkserver_pid = None
    tracker: Any = resource_tracker._resource_tracker
    tracker._fd = tracker._pid = None
    tracker.ensure_running()


def _here(experiment: Callable[[], Iterator[Any]], seconds: float) -> Outcome:
    said: list[Any] = []
    ends: list[Outcome] = []

    def work() -> None:
        for kind, *what in _messages(experiment):
            if kind == "said":
                said.append(what[0])
            else:
                ends.append(Outcome(said, kind, 0, *what))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    return ends[0] if ends else Outcome(list(said), "late")


def _messages(experiment: Callable[[], Iterator[Any]]) -> Iterator[tuple[Any, ...]]:
    try:
        for message in experiment():
            yield "said", message
    except BaseException as error:  # noqa: BLE001 (whatever a user's dataset raises)
        yield "raised", type(error).__name__, str(error), traceback.format_exc()
    else:
        yield ("done",)

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

from .spy import asked, be_seen

ENDING = 10.0  # seconds, until a process that was killed has ended
ERRORS = "errors"  # the file with what the copy, and all that it starts, write as errors
HEARD = 64 * 1024  # bytes at its end that are read
ANSWER, STILL = 1.0, 0.05  # seconds for a process to write its stack, and without a new word when it has
# The files that ask a dataset for its sample `idx`.
ASKING = (("_utils", "fetch.py"), ("diagnosis", "parts.py"))
WHERE = signal.SIGRTMAX - 3 if hasattr(signal, "SIGRTMAX") else None  # the signal that asks for a stack


@dataclass(frozen=True)
class Outcome:
    """The reports of an experiment until it ended, and how it ended: "done", "late" (it was stopped), "died" or "raised"."""

    said: list[Any] = field(default_factory=list)
    how: str = "done"
    code: int = 0  # exit status, negative for a signal
    error: str = ""  # the exception's type, what it said, and where
    text: str = ""
    trace: str = ""
    uncounted: float = 0.0  # CPU seconds of what was stopped, which the system adds to nobody's account
    wanted: float = 0.0  # seconds for which it and what it started had a core or waited for one
    dead: int = 0  # processes that it started and that had ended by then, unnoticed
    heard: str = ""  # the end of what all of them wrote as errors
    stacks: tuple[str, ...] = ()  # where each was as they were stopped, the copy itself first


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
    """Run a generator function in a copy of this process for at most so many seconds; what it yields is kept even if it does not end.

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
    assert process.pid is not None
    pid = process.pid
    try:
        outcome = _heard(receiver, time.monotonic() + seconds)
        if outcome.how == "died":
            process.join(1)
        outcome = _left(pid, outcome, Path(folder.name, ERRORS))
    finally:
        tree = _tree(pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # it, and whatever it has started
        process.kill()  # where it was stopped before it had a group
        process.join()
        _remove_segments(tree)
        receiver.close()
        folder.cleanup()
    code = process.exitcode or 0 if outcome.how == "died" else 0
    process.close()  # its two files, which else wait for the garbage collector
    return replace(outcome, code=code)


def _tree(pid: int) -> list[psutil.Process]:
    """Return a process and all that it has started and that lives."""
    with suppress(psutil.Error):
        top = psutil.Process(pid)
        return [top, *top.children(recursive=True)]
    return []


def tell_stacks() -> None:
    """Let this process write where it is, as an error, when it crashes or is asked (`WHERE`): in C, so that one that hangs can.

    Workers of torch have handlers of their own, which stand before this: it is called in them once more.
    """
    faulthandler.disable()
    faulthandler.enable(2)
    if WHERE is not None:
        faulthandler.register(WHERE, 2)


def _stack(pid: int, errors: Path) -> str:
    """Return what a process says of where it is; "" where it does not."""
    begin, size, end = errors.stat().st_size, 0, time.monotonic() + ANSWER
    os.kill(pid, WHERE or 0)
    while ((now := errors.stat().st_size - begin) != size or not now) and time.monotonic() < end:
        size = now
        time.sleep(STILL)
    return errors.read_bytes()[begin:].decode("utf-8", "replace")


def _sample(asked: list[str]) -> str:
    return f"sample: {asked[0]}\n" if asked else ""


def sample_of(error: BaseException | None) -> str:
    """Return a line that names the sample that was asked for when an error was raised; "" where none was."""
    frames = [frame for frame, _line in traceback.walk_tb(error.__traceback__)] if error else []
    asking = [one for one in frames if Path(one.f_code.co_filename).parts[-2:] in ASKING]
    return _sample([str(one.f_locals["idx"]) for one in asking if "idx" in one.f_locals])


def _remove_segments(processes: list[psutil.Process]) -> None:
    """Remove the shared memory that processes have made and, as they were killed, not yet unlinked; wait until they have ended."""
    end = time.monotonic() + ENDING
    for process in processes:
        with suppress(psutil.Error):  # nobody may reap it
            while process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
                time.sleep(0.01)
        for segment in Path("/dev/shm").glob(f"torch_{process.pid}_*"):
            segment.unlink(missing_ok=True)


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


def _left(pid: int, outcome: Outcome, errors: Path) -> Outcome:
    """Return the outcome with what there is to know of a process, and of its children, before they are stopped."""
    uncounted, wanted, dead, stacks = 0.0, 0.0, 0, []
    for process in _tree(pid):
        with suppress(psutil.Error, OSError, IndexError):
            if process.pid != pid:
                uncounted += sum(process.cpu_times()[:4])
                dead += process.status() == psutil.STATUS_ZOMBIE
            for task in Path(f"/proc/{process.pid}/task").iterdir():
                wanted += sum(map(int, (task / "schedstat").read_text().split()[:2])) / 1e9
    heard = errors.read_bytes()[-HEARD:].decode("utf-8", "replace") if errors.exists() else ""
    for process in _tree(pid) if outcome.how == "late" else ():
        with suppress(OSError):
            # The tracker of multiprocessing, which has yet to tidy up and would end by the signal, is in no group of theirs.
            if os.getpgid(process.pid) == pid:
                stacks.append(_stack(process.pid, errors) + _sample(asked(process.pid)))
    found = replace(outcome, uncounted=uncounted, wanted=wanted, dead=dead, heard=heard)
    return replace(found, stacks=tuple(stacks))


def _copy(sender: Connection, experiment: Callable[[], Iterator[Any]], threads: int, folder: str) -> None:
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    multiprocessing.current_process()._config.pop("tempdir", None)  # type: ignore[attr-defined]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # A crash is an outcome, of which the user's terminal hears a sentence.
    os.dup2(os.open(Path(folder, ERRORS), os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (until the process ends)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    tell_stacks()
    be_seen(os.getppid())
    _helpers_of_its_own()
    os.setpgid(0, 0)

    def work() -> None:
        torch.set_num_threads(threads)
        _tell(experiment, sender)

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
    receiver, sender = multiprocessing.Pipe(duplex=False)
    threading.Thread(target=_tell, args=(experiment, sender), daemon=True).start()
    return _heard(receiver, time.monotonic() + seconds)


def _tell(experiment: Callable[[], Iterator[Any]], sender: Connection) -> None:
    with suppress(BrokenPipeError):  # nobody listens any longer
        try:
            for message in experiment():
                sender.send(("said", message))
        except BaseException as error:  # noqa: BLE001 (whatever a user's dataset raises)
            trace = sample_of(error) + traceback.format_exc()
            sender.send(("raised", type(error).__name__, str(error), trace))
        else:
            sender.send(("done",))

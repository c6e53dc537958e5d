"""A child process in which an answer can do no harm: limits, a session, and where Linux allows it, a world of its own.

A chain of processes: the *outer* one leaves the namespaces; the first one in the new ones (*init*) arranges the file
system, and when it ends, the kernel ends all others there; the third one runs the answer, without any rights.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from loaderlab.teaching.grading.limits import Limits
from loaderlab.teaching.grading.mounts import HOME, View

if sys.platform == "linux":
    from loaderlab.teaching.grading import kernel, landlock

OPEN_FILES = 4096  # of a process
PATIENCE = 60.0  # seconds for finding out what works here
# What an open file may hold in the kernel, in no process: the buffer of a socket.
BUFFER = 256 * 1024


@dataclass(frozen=True)
class Protections:
    """The protections that this system lets us use, found by trying them. ``isolated``: own processes, no network, read-only files.

    ``user``: the number of the user that the answer runs as, where we are root and can be another one. ``fenced``: what
    is not isolated reads and writes only what it needs (Landlock).
    """

    isolated: bool
    user: int | None
    fenced: bool = False

    @staticmethod
    def found(view: View, user: int | None) -> Protections:
        """Return the protections that work here; ``user`` None: we are not root."""
        users = [None] if user is None else [user, None]
        fences = (True, False) if sys.platform == "linux" else (False,)
        ways = [Protections(True, user) for user in users]
        ways += [Protections(False, user, fenced) for user in users for fenced in fences]
        return next((way for way in ways if _works(way, view)), Protections(False, None))


class Confined:
    """A process that runs ``body`` under protections and limits, and everything that it starts."""

    def __init__(
        self,
        body: Callable[[], None],
        view: View,
        protections: Protections,
        limits: Limits,
        keep: Collection[int],
    ) -> None:
        """``keep``: the open files of ours that ``body`` may use."""
        self.protections = protections
        self.init = 0
        self.status: int | None = None
        told, tell = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 70  # EX_SOFTWARE: something of ours failed, not of the answer
            with suppress(BaseException):
                os.close(told)
                status = _outer(body, view, protections, limits, keep, tell)
            os._exit(status)
        os.close(tell)
        with os.fdopen(told, "rb") as answer:
            self.init = int(answer.read() or 0)

    def ended(self) -> int | None:
        """Return the exit status (from 128 up: the signal that ended it), or None while it runs."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = exit_status(status) if pid else None
        return self.status

    def kill(self) -> None:
        """End it, and everything that it started."""
        if self.protections.isolated:
            if self.init:
                with suppress(ProcessLookupError):
                    os.kill(self.init, signal.SIGKILL)  # and the kernel ends all others in its namespace
            if self.ended() is None:
                self.status = exit_status(os.waitpid(self.pid, 0)[1])
            return
        if self.protections.user is not None:
            _kill_all_of(self.protections.user)  # at once, so that nothing is born meanwhile
        while doomed := psutil.Process().children(recursive=True):
            for process in doomed:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            with suppress(ChildProcessError):
                # Without waiting: one that was born meanwhile is still to be killed.
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def in_kernel(processes: Iterable[psutil.Process]) -> int:
    """Return the bytes that these processes' open files may hold where no process has them; those of an unreadable one are all."""
    total = 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            try:
                total += process.num_fds() * BUFFER
            except psutil.AccessDenied:
                total += OPEN_FILES * BUFFER
    return total


def exit_status(status: int) -> int:
    """Return a wait status as an exit status that can be passed on: 128 and the signal where one ended the process."""
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _works(protections: Protections, view: View) -> bool:
    """Return whether an answer that runs this way can do what it needs, and cannot do what it must not."""
    told, tell = os.pipe()

    def body() -> None:
        for needed in (os.__file__, psutil.__file__, sys.executable):  # is Python readable?
            with open(needed, "rb"):
                pass
        (HOME if protections.isolated else Path.cwd()).joinpath("written").write_text("x")
        if protections.isolated and (os.access(view.kit, os.W_OK) or Path("/home").exists()):
            return
        if protections.fenced and os.access(view.kit, os.W_OK):
            with suppress(OSError), (view.kit / "written").open("w"):
                return
        os.write(tell, b"fine")

    confined = Confined(body, view, protections, Limits(10), keep=(tell,))
    os.close(tell)
    # One that was stopped says nothing, and does not end either.
    ready, _write, _other = select.select([told], [], [], PATIENCE)
    said = os.read(told, len(b"fine")) if ready else b""
    os.close(told)
    confined.kill()
    return said == b"fine"


def _outer(
    body: Callable[[], None],
    view: View,
    protections: Protections,
    limits: Limits,
    keep: Collection[int],
    tell: int,
) -> int:
    os.setsid()
    if sys.platform == "linux":
        kernel.die_with_parent()
    if not protections.isolated:
        os.close(tell)
        return _answer(body, view, protections, limits, keep)
    spaces = kernel.NEW_MOUNTS | kernel.NEW_PROCESSES | kernel.NEW_NETWORK | kernel.NEW_IPC
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        kernel.unshare(spaces)
    else:
        kernel.unshare(spaces | kernel.NEW_USERS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    init = os.fork()
    if init == 0:
        status = 70
        with suppress(BaseException):
            os.close(tell)
            status = _init(body, view, protections, limits, keep)
        os._exit(status)
    os.write(tell, str(init).encode())
    for number in (tell, *keep):
        os.close(number)
    return exit_status(os.waitpid(init, 0)[1])


def _init(
    body: Callable[[], None], view: View, protections: Protections, limits: Limits, keep: Collection[int]
) -> int:
    kernel.die_with_parent()
    view.enter()
    kernel.loopback_up()
    child = os.fork()
    if child == 0:
        status = 70
        with suppress(BaseException):
            status = _answer(body, view, protections, limits, keep)
        os._exit(status)
    for number in keep:
        os.close(number)
    while True:
        pid, status = os.wait()
        if pid == child:
            return exit_status(status)


def _answer(
    body: Callable[[], None], view: View, protections: Protections, limits: Limits, keep: Collection[int]
) -> int:
    home = _home(protections)
    _limit(limits, own_user=protections.isolated or protections.user is not None)
    if protections.user is not None:
        os.setgroups([])
        os.setresgid(protections.user, protections.user, protections.user)
        os.setresuid(protections.user, protections.user, protections.user)
    if sys.platform == "linux":
        kernel.drop_capabilities()  # also root's, where it can be nobody else
        kernel.gain_nothing_by_exec()
        kernel.stay_readable()
        with suppress(OSError):  # one more fence; some systems have no filters
            kernel.forbid()
        if protections.fenced:
            landlock.fence(view.readable(), [home, *view.writable()])
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    for number in map(int, os.listdir("/dev/fd")):
        if number > 2 and number not in keep:
            with suppress(OSError):
                os.close(number)
    os.environ |= dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), str(home))
    tempfile.tempdir = None  # some import may have asked for it already
    os.chdir(home)
    body()
    return 0


def _home(protections: Protections) -> Path:
    """Return an empty folder of the answer's own; where the answer is not isolated, the caller removes it (``homes``)."""
    home = HOME if protections.isolated else Path(os.environ["TMPDIR"], f"home-{os.getpid()}")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if protections.user is not None:
        os.chown(home, protections.user, protections.user)
    return home


def _limit(limits: Limits, own_user: bool) -> None:
    now = psutil.Process().memory_info().vms
    cpu = int(limits.seconds) + 1
    others = 0 if own_user else _threads_of_this_user()
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_FSIZE: limits.file,
        resource.RLIMIT_AS: now + limits.memory,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_NPROC: others + limits.processes,
    }
    for what, most in wanted.items():
        with suppress(ValueError, OSError):  # none of macOS's business
            soft, hard = resource.getrlimit(what)
            hard = most if hard == resource.RLIM_INFINITY else min(most, hard)
            soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
            # The number of open files is one that a program may raise for itself, and some do.
            resource.setrlimit(what, (soft if what == resource.RLIMIT_NOFILE else hard, hard))


def _threads_of_this_user() -> int:
    """Return how many threads this user's other programs have: the limit on processes counts them all."""
    me, count = os.getuid(), 0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            count += process.num_threads() if process.uids().real == me else 0
    return count


def _kill_all_of(user: int) -> None:
    """Kill every process of a user that exists for the answer only."""
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(pid, 0)

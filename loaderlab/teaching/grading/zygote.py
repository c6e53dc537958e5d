"""The process of a slot: it imports torch once, and is forked for every answer.

It takes requests from the grader over a socket, one at a time, and answers each with a line of JSON. In bubblewrap it is
process 1: an answer can neither stop nor end it, what lost its parent is its child, and all others end with it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import resource
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from loaderlab.teaching.grading import runner, watch
from loaderlab.teaching.grading.guard import Guard
from loaderlab.teaching.grading.limits import OPEN_FILES, Limits

if sys.platform == "linux":
    from loaderlab.teaching.grading import kernel

MANY = 10_000  # files, or connections: to remove them takes longer than a new slot
FAILED = 70  # EX_SOFTWARE: something of ours failed, not of the answer


@dataclass
class Zygote:
    """A process that runs answers, one after the other, in forks of itself.

    ``places``: the folders that an answer writes to, of its own but for what we do not confine; in the first one is its home.
    ``user``: the number of the user that it runs as, where that is another one.
    """

    connection: socket.socket
    places: Sequence[Path]
    user: int | None
    guard: Guard = field(default_factory=Guard)

    def __post_init__(self) -> None:
        self.alone = os.getpid() == 1
        self.home = self.places[0] / "home"
        self.before = self._state()

    def serve(self) -> None:
        """Answer requests until the grader hangs up, or an answer left this process other than it was: ``spent``.

        Of a request this process sees how long it may take. The rest is in an open file that comes with it, which only
        the process reads that runs the answer.
        """
        spent = False
        while not spent:
            line, files, _flags, _address = socket.recv_fds(self.connection, 4096, 1)
            if not line:
                return
            try:
                response = self._grade(Limits(json.loads(line)["seconds"]), files[0])
            finally:
                os.close(files[0])
                self._end_all()
            spent = response["status"] != "probed" or not self._tidy()
            self.connection.sendall((json.dumps(response | {"spent": spent}) + "\n").encode())

    def _grade(self, limits: Limits, request: int) -> dict[str, Any]:
        """Run one answer and its probe: ``status``, and with it what :func:`runner.run` wrote."""
        token = secrets.token_hex(16)
        begun, before = time.monotonic(), watch.cpu()
        evidence, sink = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = FAILED
            with suppress(BaseException):
                self._answer(limits, request, sink, token)
                status = 0
            os._exit(status)
        os.close(sink)
        places = self.places if self.alone else ()
        running = watch.Running(pid, limits, places, self.connection.fileno())
        try:
            response = watch.received(evidence, running, token)
            return response | {"starved": watch.starved(time.monotonic() - begun, watch.cpu() - before)}
        finally:
            os.close(evidence)

    def _answer(self, limits: Limits, request: int, sink: int, token: str) -> None:
        """Become the process of an answer, and run it."""
        os.setsid()
        self.home.mkdir(mode=0o700)
        _limit(limits, own_user=self.alone or self.user is not None)
        if self.user is not None:
            os.chown(self.home, self.user, self.user)
            os.setgroups([])
            os.setresgid(self.user, self.user, self.user)
            os.setresuid(self.user, self.user, self.user)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        for number in map(int, os.listdir("/dev/fd")):
            if number > 2 and number not in (request, sink):
                with suppress(OSError):
                    os.close(number)
        os.environ |= dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), str(self.home))
        tempfile.tempdir = None  # some import may have asked for it already
        os.chdir(self.home)
        if sys.platform == "linux":
            kernel.let_look_inside(True)  # at itself, as psutil does; what is ours is closed by now
        with os.fdopen(request, "rb") as file:
            probe, content = pickle.load(file)
        runner.run(content, probe, self.guard, sink, token)

    def _tidy(self) -> bool:
        """Remove what an answer left; returns whether this process, and what is around it, is as it was before."""
        try:
            if self.alone and any(watch.names(place) > MANY for place in self.places):
                return False
            for place in self.places:
                for entry in list(os.scandir(place)):
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry.path)
                    else:
                        os.unlink(entry.path)
            return self._state() == self.before
        except (OSError, RecursionError):
            return False

    def _end_all(self) -> None:
        """End all that an answer started."""
        if self.alone:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)  # all others here, at once, so that nothing is born meanwhile
        while doomed := psutil.Process().children(recursive=True):
            for process in doomed:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            with suppress(ChildProcessError):
                # Without waiting: one that was born meanwhile is still to be killed.
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass

    def _state(self) -> list[Any]:
        """Return what an answer may change of this process where both have one user, and what it leaves in the network."""
        if not self.alone:
            return []
        limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
        me = psutil.Process()
        closing = Path("/proc/net/sockstat").read_text().partition(" tw ")[2].split()
        return [
            [resource.getrlimit(limit) for limit in limits],
            [me.nice(), me.ionice(), os.sched_getscheduler(0), os.sched_getaffinity(0)],
            [os.stat(place).st_mode for place in self.places],
            int(closing[0] if closing else 0) > MANY,
        ]


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


def main() -> None:
    """Begin: the number of the socket is the one argument, what to do is on standard input; an empty line says "ready"."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's business
    import torch.utils.data

    torch.set_num_threads(1)
    order: dict[str, Any] = pickle.load(sys.stdin.buffer)  # to read a probe imports what it is made of
    for statement in order["imports"]:
        with suppress(Exception):
            exec(statement, {})
    for module in {module for probe in order.pop("probes") for module in probe.imports}:
        importlib.import_module(module)
    for name in order["quiet"]:
        os.environ.pop(name, None)
    if sys.platform == "linux":
        kernel.let_look_inside(False)  # an answer of this user would be the next one's judge
        kernel.adopt_orphans()
    zygote = Zygote(connection, [Path(place) for place in order["places"]], order["user"])
    gc.collect()
    gc.freeze()  # what a fork collects is its own: neither time nor copies of pages for all that torch has
    connection.sendall(b"{}\n")
    with suppress(ConnectionError):
        zygote.serve()

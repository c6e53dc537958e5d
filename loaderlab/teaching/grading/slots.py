"""The grader's end of the zygote: tasks go out over a socket for each slot, responses come back."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

from loaderlab.exercises.probing import Probe
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import child, memory
from loaderlab.measuring.machine import MIB
from loaderlab.teaching.grading.context_cells import Given
from loaderlab.teaching.grading.limits import Limits
from loaderlab.teaching.grading.visible_package import PACKAGE

BEGINNING = 300.0  # seconds that the zygote may take until it is ready
LONGEST = 64 * MIB  # of a response; evidence of 8 MiB grows where it is quoted
LOOK = 1.0  # seconds between two looks at the memory of all processes, which take time from the answers
# Of the environment, what Python and torch may need to start; the rest may hold whoever grades' passwords.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ", "VIRTUAL_ENV")
# While torch is imported, no threads: what is forked later has only the thread that forks. An answer may have them.
QUIET = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from loaderlab.teaching.grading import zygote; zygote.main()"


@dataclass(frozen=True)
class Task:
    """One answer to probe: what it is called here, whose it is, how it is probed, and what the sandbox is given."""

    name: tuple[int, str]
    student: str
    probe: Probe = field(compare=False)
    request: dict[str, Any] = field(compare=False)

    @property
    def waits(self) -> bool:
        """True if nothing may run beside the task, from the first."""
        return self.probe.serial and not self.probe.glance


class Broken(Exception):
    """The zygote or a slot of it is gone; ``suspects`` were running then, and one of them did it."""

    def __init__(self, suspects: Sequence[Task]) -> None:
        super().__init__()
        self.suspects = suspects


def late(response: Mapping[str, Any]) -> bool:
    """Return whether an answer took long on a machine that was too busy for it, so that its time may have run out."""
    return response.get("starved") is True


def _undecided(response: Mapping[str, Any]) -> bool:
    """Return whether a glance could not tell, beside other answers."""
    collected = response.get("collected")
    return isinstance(collected, dict) and collected.get("evidence", ...) is None


class Slots:
    """A running zygote with ``count`` slots; a context that ends it, and everything that it started.

    ``folder`` holds the kit, and takes temporary files; ``offers`` are what the lessons give.
    """

    def __init__(self, folder: Path, offers: Mapping[str, Given], count: int, as_root: bool = False) -> None:
        """``as_root``: also where that means to run answers as root. Raises :class:`LabError`."""
        for place in ("point", "homes"):
            (folder / place).mkdir(exist_ok=True)
        for path in (folder, folder / "homes"):  # the answers may run as another user
            path.chmod(0o711)
        pairs = [socket.socketpair() for _slot in range(max(1, count))]
        kit, sockets = str(folder / "kit"), [theirs.fileno() for _ours, theirs in pairs]
        order = {
            "lessons": list(offers),
            "imports": sorted(
                {s for o in offers.values() for s in o.statements if "import " in s.split("\n")[0]}
            ),
            "kit": kit,
            "hidden": [str(PACKAGE), *(str(PACKAGE.parent / name) for name in ("solutions", ".git"))],
            "point": str(folder / "point"),
            "quiet": QUIET,
            "sockets": sockets,
        }
        environment = {name: value for name, value in os.environ.items() if name in PASSED_ON}
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "homes"))
        environment |= dict.fromkeys(QUIET, "1")
        self._process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, kit, json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=sockets,
            env=environment,
            start_new_session=True,
        )
        self._connections = []
        for ours, theirs in pairs:
            theirs.close()
            self._connections.append(ours)
        self._most = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        try:
            try:
                self.ready = json.loads(_line(self._connections[0], BEGINNING))
            except (OSError, ValueError):
                raise LabError(self._failed()) from None
            if self.ready["root"] and not (self.ready["isolated"] or self.ready["user"] or as_root):
                raise LabError(
                    _(
                        "Answers would run as root here: this system neither sets them apart nor can another user run "
                        "Python ({prefix}). Grade as an ordinary user, or install the course where all can read it. "
                        "With --as-root they run as root all the same, and can do what you can."
                    ).format(prefix=sys.prefix)
                )
        except BaseException:
            self.close()
            raise
        self._watcher.start()

    def __enter__(self) -> Slots:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the zygote, its slots and whatever runs in them."""
        self._over.set()
        child.end_tree(self._process.pid)  # first: a thread may be waiting for a line
        self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()
        for connection in self._connections:
            connection.close()

    def work(self, tasks: Sequence[Task], arrived: Callable[[Task, Any], None]) -> None:
        """Run the tasks, and call ``arrived(task, response)`` for each; last those that must run alone.

        Where a glance beside others did not tell, and where the machine was too busy for an answer to end in time,
        perhaps because of its neighbour, it runs again, alone. Raises :class:`Broken`.
        """
        last = [task for task in tasks if task.waits]

        def arrives(task: Task, response: Any) -> None:
            if late(response) or (task.probe.glance and _undecided(response)):
                last.append(task)
            else:
                arrived(task, response)

        self._work([task for task in tasks if not task.waits], self._connections, arrives, glance=True)
        self._work(last, self._connections[:1], arrived)

    def _work(
        self,
        tasks: Sequence[Task],
        connections: Sequence[socket.socket],
        arrived: Callable[[Task, Any], None],
        glance: bool = False,
    ) -> None:
        waiting: SimpleQueue[Task] = SimpleQueue()
        results: SimpleQueue[tuple[Task, Any]] = SimpleQueue()
        running: set[Task] = set()
        for task in tasks:
            waiting.put(task)

        def feed(connection: socket.socket) -> None:
            """Feed one slot: the next task when the one before is done. A response of None: this slot is gone, or stopped."""
            with suppress(Empty):
                while True:
                    task = waiting.get_nowait()
                    running.add(task)
                    response = None
                    # It is closed, or did not answer in time.
                    with suppress(OSError, ValueError, RecursionError):
                        response = _response(connection, task, glance)
                    results.put((task, response))
                    if response is None:
                        return
                    running.discard(task)

        for connection in connections:
            threading.Thread(target=feed, args=(connection,), daemon=True).start()
        for _count in tasks:
            task, response = results.get()
            if response is None:
                raise Broken(sorted(running, key=lambda suspect: suspect.name))
            arrived(task, response)

    @property
    def peak(self) -> int:
        """The bytes that all processes took together, at most."""
        return self._most

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            used = memory.total(memory.tree().values())
            self._most = max(self._most, used.pss or used.rss)

    def _failed(self) -> str:
        """Return why the zygote is gone."""
        child.end_tree(self._process.pid)
        said = (self._process.stderr.read() if self._process.stderr else b"").decode("utf-8", "replace")
        last = (said.strip().splitlines() or ["–"])[-1]
        return _("The grader's own process ended ({error}). Nothing is lost: go on with --resume.").format(
            error=last
        )


def protection(ready: Mapping[str, Any]) -> list[str]:
    """Return what a zygote with this message protects, and what it cannot."""
    if ready["isolated"]:
        return [
            _(
                "Each answer ran in a world of its own: no network, no other processes, files read-only but for its home."
            )
        ]
    fenced = (
        _("It read only what Python needs, and wrote only to its home and to shared memory.")
        if ready["fenced"]
        else _("It could read and write what its user can, in /tmp and elsewhere.")
    )
    user = (
        _("Each answer ran as a user of its own.")
        if ready["user"]
        else _("Each answer ran as you: it could stop or end your programs, this one, too.")
        if not ready["signals"]
        else _("Each answer ran as you, and could not stop or end your programs.")
    )
    return [
        _(
            "This system does not let us set an answer apart: it could use the network, and see which programs run. Its "
            "time, memory and processes were limited. Grade in a virtual machine or a container that allows user "
            "namespaces."
        ),
        user,
        fenced,
    ]


def _response(connection: socket.socket, task: Task, glance: bool) -> Any:
    """Return a slot's response to a task. The request goes in an open file, so that only the answer's own process reads it."""
    with tempfile.TemporaryFile("w", encoding="utf-8") as request:
        json.dump(task.request, request)
        request.seek(0)  # whoever gets it reads from here
        head = {name: task.request[name] for name in ("lesson", "exercise")} | {"glance": glance}
        socket.send_fds(connection, [json.dumps(head).encode()], [request.fileno()])
    return json.loads(_line(connection, Limits.of(task.probe).patience))


def _line(connection: socket.socket, seconds: float) -> bytes:
    """Return the next line, if it has come whole before the seconds are over; raises ``OSError`` otherwise."""
    until, data = time.monotonic() + seconds, bytearray()
    while not data.endswith(b"\n"):
        connection.settimeout(max(0.001, until - time.monotonic()))
        chunk = connection.recv(1 << 16)
        if not chunk:
            raise ConnectionError
        data += chunk
        if len(data) > LONGEST:
            raise ConnectionError
    return bytes(data)

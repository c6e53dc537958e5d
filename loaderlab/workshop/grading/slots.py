"""The grader's end of the zygote: tasks go out over a socket for each slot, responses come back."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

from loaderlab import child, memory
from loaderlab.errors import LabError
from loaderlab.language import number
from loaderlab.language import translate as _
from loaderlab.machine import MIB
from loaderlab.workshop.grading.given import Given
from loaderlab.workshop.grading.kit import PACKAGE

LOOK = 0.5  # seconds between two looks at the memory of all processes
# Of the environment, what Python and torch may need to start; the rest may hold whoever grades' passwords.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ", "VIRTUAL_ENV")
# While torch is imported, no threads: what is forked later has only the thread that forks. An answer may have them.
QUIET = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from loaderlab.workshop.grading import zygote; zygote.main()"


@dataclass(frozen=True)
class Task:
    """One answer to probe: what it is called here, whose it is, the request, and whether it must run alone."""

    name: tuple[int, str]
    student: str
    request: dict[str, Any] = field(compare=False)
    alone: bool


class Broken(Exception):
    """The zygote or a slot of it is gone; ``suspects`` were running then, and one of them did it."""

    def __init__(self, suspects: Sequence[Task]) -> None:
        super().__init__()
        self.suspects = suspects


def late(response: Mapping[str, Any]) -> bool:
    """Whether an answer ran out of time on a machine that was too busy for it."""
    collected = response.get("collected")
    inside = collected.get("status") if isinstance(collected, dict) else None
    return bool(response.get("starved")) and "time" in (response["status"], inside)


class Slots:
    """A running zygote with ``count`` slots; a context that ends it, and everything that it started.

    ``folder`` holds the kit, and takes temporary files; ``offers`` are what the lessons give.
    """

    def __init__(self, folder: Path, offers: Mapping[str, Given], count: int) -> None:
        for place in ("point", "homes"):
            (folder / place).mkdir(exist_ok=True)
        for path in (folder, folder / "homes"):  # the answers may run as another user
            path.chmod(0o711)
        pairs = [socket.socketpair() for _slot in range(max(1, count))]
        order = {
            "lessons": list(offers),
            "imports": sorted(
                {s for o in offers.values() for s in o.statements if "import " in s.split("\n")[0]}
            ),
            "kit": str(folder / "kit"),
            "hidden": [str(PACKAGE), *(str(PACKAGE.parent / name) for name in ("solutions", ".git"))],
            "point": str(folder / "point"),
            "quiet": QUIET,
            "sockets": [theirs.fileno() for _ours, theirs in pairs],
        }
        environment = {name: value for name, value in os.environ.items() if name in PASSED_ON}
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "homes"))
        environment |= dict.fromkeys(QUIET, "1")
        self._process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, order["kit"], json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=order["sockets"],
            env=environment,
            start_new_session=True,
        )
        self._streams = []
        for ours, theirs in pairs:
            theirs.close()
            self._streams.append(ours.makefile("rw", encoding="utf-8"))
            ours.close()
        self._most = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        try:
            line = self._streams[0].readline()
            if not line:
                raise LabError(self._failed())
            self._ready = json.loads(line)
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
        child.end_tree(
            self._process.pid
        )  # first: a thread may be waiting for a line, and hold its stream meanwhile
        self._process.wait()
        for stream in self._streams:
            with suppress(OSError):
                stream.close()

    def work(self, tasks: Sequence[Task], arrived: Callable[[Task, Any], None]) -> None:
        """Run the tasks, and call ``arrived(task, response)`` for each; last those that must run alone.

        Where the machine was too busy for an answer to end in time, perhaps because of its neighbour, it runs again,
        alone. Raises :class:`Broken`.
        """
        last = [task for task in tasks if task.alone]

        def arrives(task: Task, response: Any) -> None:
            if late(response):
                last.append(task)
            else:
                arrived(task, response)

        self._work([task for task in tasks if not task.alone], self._streams, arrives)
        self._work(last, self._streams[:1], arrived)

    def _work(
        self, tasks: Sequence[Task], streams: Sequence[Any], arrived: Callable[[Task, Any], None]
    ) -> None:
        waiting: SimpleQueue[Task] = SimpleQueue()
        results: SimpleQueue[tuple[Task, Any]] = SimpleQueue()
        running: set[Task] = set()
        for task in tasks:
            waiting.put(task)

        def feed(stream: Any) -> None:
            """One slot: the next task when the one before is done. A response of None: this slot is gone."""
            with suppress(Empty):
                while True:
                    task = waiting.get_nowait()
                    running.add(task)
                    response = None
                    with suppress(OSError, ValueError):  # the socket is closed, perhaps in mid-line
                        stream.write(json.dumps(task.request) + "\n")
                        stream.flush()
                        response = json.loads(stream.readline())
                    results.put((task, response))
                    if response is None:
                        return
                    running.discard(task)

        for stream in streams:
            threading.Thread(target=feed, args=(stream,), daemon=True).start()
        for _count in tasks:
            task, response = results.get()
            if response is None:
                raise Broken(sorted(running, key=lambda suspect: suspect.name))
            arrived(task, response)

    def notes(self) -> list[str]:
        """What protected this machine during the run, and the memory that all processes took together."""
        protected = (
            _(
                "Each answer ran in a world of its own: no network, no other processes, files read-only but for its home."
            )
            if self._ready["apart"]
            else _(
                "This system does not let us set an answer apart: it could use the network, and read and write what "
                "you can. Its time, memory and processes were limited. Grade in a virtual machine or a container that "
                "allows user namespaces."
            )
        )
        used = _("Memory of all processes together, at the peak: {mib} MiB.").format(
            mib=number(self._most / MIB)
        )
        return [protected, used]

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            used = memory.total(memory.tree().values())
            self._most = max(self._most, used.pss or used.rss)

    def _failed(self) -> str:
        """Why the zygote is gone."""
        child.end_tree(self._process.pid)
        said = (self._process.stderr.read() if self._process.stderr else b"").decode("utf-8", "replace")
        last = (said.strip().splitlines() or ["–"])[-1]
        return _("The grader's own process ended ({error}). Nothing is lost: go on with --resume.").format(
            error=last
        )

"""The grader's end of the sandbox: requests go out over a socket for each slot, responses come back."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from loaderlab.exercises.probing import Probe
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import child, memory
from loaderlab.measuring.machine import MIB
from loaderlab.teaching.grading import bubblewrap
from loaderlab.teaching.grading.context_cells import Given
from loaderlab.teaching.grading.limits import Limits
from loaderlab.teaching.grading.visible_package import PACKAGE

BEGINNING = 300.0  # seconds that a slot may take until it is ready
LONGEST = 64 * MIB  # of a response; evidence of 8 MiB grows where it is quoted
LOOK = 1.0  # seconds between two looks at the memory of all processes, which take time from the answers
# Of the environment, what Python and torch may need to start; the rest may hold whoever grades' passwords.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ", "VIRTUAL_ENV")
# While torch is imported, no threads: what is forked later has only the thread that forks. An answer may have them.
QUIET = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from loaderlab.teaching.grading import zygote; zygote.main()"
_BROKE = {"status": "broke"}


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


def late(response: Mapping[str, Any]) -> bool:
    """Return whether an answer took long on a machine that was too busy for it, so that its time may have run out."""
    return response.get("starved") is True


def _undecided(response: Mapping[str, Any]) -> bool:
    """Return whether a glance could not tell, beside other answers."""
    collected = response.get("collected")
    return isinstance(collected, dict) and collected.get("evidence", ...) is None


class Slot:
    """One place to run answers, one after the other: a process that has imported torch, in a sandbox of its own.

    It is begun when it is made, and again before the answer that follows one that left it other than it was.
    """

    def __init__(self, folder: Path, number: int, order: Mapping[str, Any], confined: bool) -> None:
        """``folder`` holds the kit, and takes files of the answers where they are not ``confined``. Raises ``OSError``."""
        self._folder, self._number, self._order, self._confined = folder, number, order, confined
        self._process: subprocess.Popen[bytes] | None = None
        self._over = False
        self._begin()

    def _begin(self) -> None:
        if self._over:
            raise ConnectionError
        if self._confined:
            places = [bubblewrap.SCRATCH, bubblewrap.SHARED]
        else:
            places = [Path(tempfile.mkdtemp(dir=self._folder))]
            places[0].chmod(0o711)
        apart = bubblewrap.is_any_user() and (self._confined or bubblewrap.can_read_python())
        user = bubblewrap.stranger(self._number) if apart else None
        environment = {name: value for name, value in os.environ.items() if name in PASSED_ON}
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(places[0])) | dict.fromkeys(QUIET, "1")
        self._connection, theirs = socket.socketpair()
        self._ready = False
        with theirs, tempfile.TemporaryFile() as order, tempfile.TemporaryFile() as calls:
            pickle.dump({**self._order, "places": [*map(str, places)], "user": user}, order)
            calls.write(bubblewrap.filter_of_calls())
            for file in (order, calls):
                file.seek(0)
            kit, begin = self._folder / "kit", []
            if self._confined:
                begin = bubblewrap.command(kit, PACKAGE, Limits(0).room, calls.fileno())
                kit = bubblewrap.KIT
            self._process = subprocess.Popen(
                [*begin, sys.executable, "-c", _MAIN, str(kit), str(theirs.fileno())],
                stdin=order,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(), calls.fileno()),
                env=environment,
                start_new_session=True,
            )

    def expect_ready(self) -> None:
        """Wait until it can run an answer; raises ``OSError`` or ``ValueError`` where it cannot."""
        if not self._ready:
            json.loads(_line(self._connection, BEGINNING))
            self._ready = True

    def ask(self, task: Task, glance: bool = False) -> dict[str, Any]:
        """Run an answer, and return the response: ``broke`` where the slot ended over it, or did not say anything in time."""
        response = dict(_BROKE)
        with suppress(OSError, ValueError, RecursionError):
            if self._process is None:
                self._begin()
            self.expect_ready()
            _send(self._connection, task, glance)
            response = json.loads(_line(self._connection, Limits.of(task.probe).patience))
        if response.pop("spent", True):
            self._end()
        return response

    def failed(self) -> str:
        """Return why it is gone: the last that it said."""
        if self._process is None or self._process.stderr is None:
            return ""
        child.end_tree(self._process.pid)
        said = self._process.stderr.read().decode("utf-8", "replace")
        return (said.strip().splitlines() or ["–"])[-1]

    def close(self) -> None:
        """End it, and whatever runs in it."""
        self._over = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        child.end_tree(process.pid)  # first: a thread may be waiting for a line
        process.wait()
        if process.stderr:
            process.stderr.close()
        self._connection.close()


class Slots:
    """``count`` slots; a context that ends them, and everything that they started."""

    def __init__(
        self,
        folder: Path,
        offers: Mapping[str, Given],
        probes: Collection[Probe],
        count: int,
        confined: bool = True,
    ) -> None:
        """``folder`` holds the kit, ``offers`` are what the lessons give. Raises :class:`LabError`."""
        folder.chmod(0o711)  # the answers may run as another user
        given = {text for offer in offers.values() for text in offer.statements}
        order = {
            "imports": sorted(text for text in given if "import " in text.split("\n")[0]),
            "probes": list({probe.name: probe for probe in probes}.values()),
            "quiet": QUIET,
        }
        self._slots: list[Slot] = []
        self._most = 0
        self._over = threading.Event()
        try:
            self._slots += (Slot(folder, number, order, confined) for number in range(max(1, count)))
            self._slots[0].expect_ready()
        except (OSError, ValueError) as error:
            said = self._slots[0].failed() if self._slots else str(error)
            self.close()
            raise LabError(_failed(said, confined)) from None
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._watch, daemon=True).start()

    def __enter__(self) -> Slots:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the slots and whatever runs in them."""
        self._over.set()
        for slot in self._slots:
            slot.close()

    def work(self, tasks: Sequence[Task], arrived: Callable[[Task, Any], None]) -> None:
        """Run the tasks, and call ``arrived(task, response)`` for each; last those that must run alone.

        Where a glance beside others did not tell, where the machine was too busy for an answer to end in time, and where
        a slot ended over it, perhaps because of its neighbour, it runs again, alone.
        """
        last = [task for task in tasks if task.waits]
        broke: set[Task] = set()

        def arrives(task: Task, response: Any, alone: bool = False) -> None:
            first = response == _BROKE and task not in broke
            if first:
                broke.add(task)
            if first or (not alone and (late(response) or (task.probe.glance and _undecided(response)))):
                last.append(task)
            else:
                arrived(task, response)

        self._beside([task for task in tasks if not task.waits], arrives)
        for task in last:  # which may grow
            arrives(task, self._slots[0].ask(task), alone=True)

    def _beside(self, tasks: Sequence[Task], arrived: Callable[[Task, Any], None]) -> None:
        """Run tasks beside each other; with a glance, where there is one."""
        waiting: SimpleQueue[Task] = SimpleQueue()
        results: SimpleQueue[tuple[Task, Any]] = SimpleQueue()
        for task in tasks:
            waiting.put(task)

        def feed(slot: Slot) -> None:
            """Feed one slot: the next task when the one before is done."""
            with suppress(Empty):
                while True:
                    task = waiting.get_nowait()
                    results.put((task, slot.ask(task, glance=True)))

        for slot in self._slots:
            threading.Thread(target=feed, args=(slot,), daemon=True).start()
        for _count in tasks:
            arrived(*results.get())

    @property
    def peak(self) -> int:
        """The bytes that all processes took together, at most."""
        return self._most

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            used = memory.total(memory.tree().values())
            self._most = max(self._most, used.pss or used.rss)


def _failed(said: str, confined: bool) -> str:
    """Return the sentence for a slot that could not begin."""
    if confined and "bwrap" in said:
        return _(
            "Answers run in bubblewrap, which does not start here ({error}). Install it (`apt install bubblewrap`), or "
            "grade in a virtual machine. A container, or a machine that holds nothing else, can be the sandbox itself: "
            "--this-machine-is-the-sandbox."
        ).format(error=said)
    return _("The grader's own process ended ({error}). Nothing is lost: go on with --resume.").format(
        error=said
    )


def protection(confined: bool) -> str:
    """Return what is true of answers that ran in bubblewrap, or were not ``confined``."""
    if confined:
        return _(
            "Each answer ran isolated: without a network, without other processes, and with files read-only outside its "
            "home folder."
        )
    return _(
        "As you asked, this machine was the sandbox: answers could use the network, and could read and write whatever "
        "their user can, including the work of others. Their time, memory and processes were limited."
    )


def _send(connection: socket.socket, task: Task, glance: bool) -> None:
    """Send a task. What it is goes in an open file, so that only the answer's own process reads it."""
    probe = task.probe
    if glance and probe.glance:
        probe = replace(probe, run=probe.glance)
    with tempfile.TemporaryFile() as request:
        pickle.dump((replace(probe, glance=None), task.request), request)
        request.seek(0)  # whoever gets it reads from here
        head = json.dumps({"seconds": Limits.of(probe).seconds})
        socket.send_fds(connection, [head.encode()], [request.fileno()])


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

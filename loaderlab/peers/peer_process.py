"""A peer as seen from outside: started in a process of its own, asked, looked at, and ended with all that it started."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import psutil

from loaderlab.i18n.language import translate as _
from loaderlab.measuring import memory, temporary
from loaderlab.measuring.child import await_end, end_tree
from loaderlab.peers.footprint import footprint
from loaderlab.peers.job import Job

# LitData asks PyPI for a newer version unless it is told not to.
QUIET = {"LITDATA_DISABLE_VERSION_CHECK": "1"}
LOOKS = 0.02  # s between two looks at the memory: an epoch of few images is over in half a second
if TYPE_CHECKING:
    from typing import Self

PACKAGE = Path(__file__).parents[2]


class PeerError(Exception):
    """A peer could not do what it was asked; the text is the reason."""


class Guest:
    """``with Guest(job) as guest``: its process, which lives until the end of the block; nothing of it is left then."""

    def __init__(self, job: Job, timeout: float = 600.0) -> None:
        self.job, self.timeout, self.peak = job, timeout, 0
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._temporary = ""

    def __enter__(self) -> Self:
        # A folder for temporary files of its own: what is killed removes none of them.
        # A worker's socket lies in it: where its path is too long, batches never arrive.
        self._temporary = tempfile.mkdtemp(prefix="peer-", dir=temporary.place())
        folders = dict.fromkeys(
            ("TMPDIR", "TEMP", "TMP", "DATA_OPTIMIZER_CACHE_FOLDER", "DATA_OPTIMIZER_DATA_CACHE_FOLDER"),
            self._temporary,
        )
        path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
        self._log = open(Path(self._temporary) / "log", "w+", encoding="utf-8", errors="replace")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "loaderlab.peers.host", self.job.to_json()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
                encoding="utf-8",
                env=os.environ | folders | QUIET | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        except BaseException:
            self.__exit__(None, None, None)
            raise
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process, self._process = self._process, None
        try:
            if process is not None:
                if kind is None and process.poll() is None:
                    with suppress(OSError, ValueError):
                        assert process.stdin is not None
                        process.stdin.write('{"do": "end"}\n')
                        process.stdin.close()
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(5)
                segments = _segments(process.pid)
                _end_workers(process.pid)
                end_tree(process.pid)
                process.wait()
                for segment in segments:  # a process that is killed leaves those that have a name
                    segment.unlink(missing_ok=True)
        finally:
            self._log.close()
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _listen(self, stream: Any) -> None:
        with suppress(ValueError, OSError):
            for line in stream:
                self._answers.put(line)
        self._answers.put("")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def ask(self, timeout: float | None = None, watch: bool = False, **wish: Any) -> dict[str, Any]:
        """Return the answer to a wish; raises PeerError where it fails, ends or takes too long. ``watch`` looks at its memory."""
        assert self._process is not None and self._process.stdin is not None
        limit = self.timeout if timeout is None else timeout
        end = time.monotonic() + limit
        try:
            self._process.stdin.write(json.dumps(wish) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise PeerError(self._ended()) from None
        while True:
            try:
                line = self._answers.get(timeout=LOOKS if watch else max(0.0, end - time.monotonic()))
                break
            except queue.Empty:
                if time.monotonic() >= end:
                    raise PeerError(_("no answer within {seconds} s").format(seconds=round(limit))) from None
                if watch:
                    self._look()
        if not line:
            raise PeerError(self._ended())
        if watch:  # its workers are still there
            self._look()
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def _look(self) -> None:
        """Remember the most memory that it and its workers have taken (RSS where the system does not tell more)."""
        with suppress(psutil.Error):
            tree = memory.tree(self.pid)
            self.peak = max(self.peak, footprint(tree) or memory.total(tree.values()).rss)

    def _ended(self) -> str:
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read().splitlines() if line.strip()]
        return _("its process ended: {line}").format(line=lines[-1] if lines else "?")


def _end_workers(pid: int) -> None:
    """Kill all of a peer but Python's resource trackers: these remove the semaphores of the dead, and end by themselves."""
    members = [process for process in psutil.process_iter() if _session(process.pid) == pid]
    trackers = []
    for process in members:
        with suppress(psutil.Error):
            if any("resource_tracker" in word for word in process.cmdline()):
                trackers.append(process)
            else:
                process.kill()
    await_end(trackers)


def _session(pid: int) -> int | None:
    with suppress(AttributeError, OSError):
        return os.getsid(pid)
    return None


def _segments(pid: int) -> set[Path]:
    """Return the files on /dev/shm, with a name, that a process, its children or its session have mapped."""
    found: set[Path] = set()
    with suppress(psutil.Error):
        for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
            with suppress(OSError):
                for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
                    place = line.split(maxsplit=5)[5:]
                    if place and place[0].startswith("/dev/shm/") and not place[0].endswith("(deleted)"):
                        found.add(Path(place[0]))
    return found

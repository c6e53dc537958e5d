"""The leftovers of a kernel that has ended: processes, segments of shared memory, temporary files."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from processes import works
from waiting import within

SHARED = Path("/dev/shm")
_MARK = "LOADERLAB_TEST_KERNEL"

# Where workers are forked from a server, ipykernel would wait half a minute for that server, which counts as a child of
# the kernel when it has long ended, and for the tracker of its resources, which is deaf to SIGTERM.
STOP_THE_SERVERS = """
import multiprocessing.forkserver as _f, multiprocessing.resource_tracker as _r
_f._forkserver._stop(), _r._resource_tracker._stop()
"""


class Leftovers:
    """A temporary folder and a mark for a kernel, by which all that it leaves can be told from what others do."""

    def __init__(self, temporary: Path) -> None:
        self.temporary, self.mark = temporary, uuid.uuid4().hex
        self.shared_before = set(SHARED.glob("torch_*"))

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the kernel needs in its environment; its children inherit them."""
        return {"TMPDIR": str(self.temporary), _MARK: self.mark}

    @contextmanager
    def inherited(self) -> Iterator[None]:
        """Give that environment to what this process starts meanwhile."""
        before = {name: os.environ.get(name) for name in self.environment}
        os.environ |= self.environment
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def processes(self) -> list[psutil.Process]:
        """Return the living processes that bear the mark."""
        return [process for process in psutil.process_iter() if self._bears_the_mark(process)]

    def found(self, patience: float = 15) -> dict[str, list[str]]:
        """Return what is left by kind, now that the kernel has ended; empty where nothing is.

        Python's own helpers end with the kernel, a moment later, and torch's removes the segments of a process that
        has ended: for these ``patience`` seconds each.
        """
        within(patience, lambda: not self.processes())
        within(patience, lambda: not self._orphans())
        kinds = {
            "processes": [" ".join(process.cmdline()) for process in self.processes()],
            "segments": [path.name for path in self._orphans()],
            "temporary files": [
                path.name
                for path in self.temporary.rglob("*")
                if not _of_torch(path.relative_to(self.temporary))
            ],
        }
        return {kind: names for kind, names in kinds.items() if names}

    def _bears_the_mark(self, process: psutil.Process) -> bool:
        try:
            alive = process.status() != psutil.STATUS_ZOMBIE
            return alive and process.environ().get(_MARK) == self.mark
        except psutil.Error:
            return False

    def _orphans(self) -> list[Path]:
        """Return new segments whose process, the number in the name, has ended."""
        new = set(SHARED.glob("torch_*")) - self.shared_before
        return [path for path in new if not works(int(path.name.split("_")[1]))]


def _of_torch(path: Path) -> bool:
    """Return whether this is in the folder, one per user, where torch itself keeps what it compiles, for the next time."""
    return path.parts[0].startswith("torchinductor_")

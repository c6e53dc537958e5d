"""One file for all pictures: JPEG bytes one after another, and an index that says where each begins.

Layout: 64 bytes of head, the pictures, the names (JSON), the index (a record of RECORD for each picture).
"""

from __future__ import annotations

import errno
import json
import os
import re
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from .cuts import is_cuttable
from .images import Found, ImageError, LeaveOut, Problem, Stored, find, fingerprint, nothing_left, stored
from .machine import deaf
from .unfinished import unfinished
from .words import translate as _

MAGIC = b"LOADPACK"
VERSION = 1
HEAD = struct.Struct("<8sIQQQQ")  # magic, version, pictures, where names and index begin, where the file ends
HEAD_BYTES = 64
PAUSES = (0.1, 0.5, 2.0)  # seconds before a read that failed is tried again, on a file opened anew
LONGEST_NAME = 2**15  # characters: a path of 4096 bytes, each of them escaped
NAMES, NAME = (
    b', "names": [',
    re.compile(rb'"(?:[^"\\]|\\.)*"'),
)  # in the JSON: where they begin, and one of them
RECORD = np.dtype(
    [
        ("start", "<i8"),
        ("bytes", "<i4"),
        ("label", "<i4"),
        ("width", "<i4"),
        ("height", "<i4"),
        ("frame", "<i4"),
        ("orientation", "<i4"),
    ]
)


def pack(
    folder: str | Path,
    file: str | Path,
    *,
    classes: Sequence[str] | None = None,
    shorter: int | None = None,
    strict: bool = False,
    report: Callable[[Problem], None] | None = None,
    processes: int = 1,
    cuts: bool = True,
) -> list[Problem]:
    """Write the pictures below ``folder`` into ``file``; returns what was left out, each with its path and the reason.

    The names of the sub-folders, sorted, are the classes; what is not for training gets those of the training
    (``classes=Pack(training).classes``), so that a number means the same class in both.

    Every picture is decoded once, to its last pixel. With ``shorter``, larger ones are stored with that shorter side.
    Without ``cuts``, JPEGs stay as they are, and are decoded as a whole.
    With ``strict``, the first problem raises ImageError. ``file`` appears only when it is complete; a run that was ended is
    not continued, but begins anew.
    """
    folder, file = Path(folder), Path(file)
    found = find(folder)
    leave_out = LeaveOut(strict, report)
    for problem in found.problems:
        leave_out(problem)
    mark = fingerprint(found, folder, shorter)
    if classes is not None:
        found = found.mapped(classes)
    part = unfinished(file)
    records, names, written, whole = [], [], HEAD_BYTES, 0
    try:
        with open(part, "wb") as out:
            out.write(bytes(HEAD_BYTES))
            for (path, label), result in zip(
                found.images, _stored(found, shorter, cuts, processes), strict=True
            ):
                if isinstance(result, str):
                    leave_out(Problem(path, result))
                    continue
                out.write(result.data)
                size = (result.width, result.height)
                records.append((written, len(result.data), label, *size, result.frame, result.orientation))
                names.append(str(path.relative_to(folder)))
                written += len(result.data)
                whole += not is_cuttable(result.data)
            if not records:
                raise nothing_left(folder, leave_out.problems)
            about = {
                "folder": str(folder.resolve()),
                "classes": found.classes,
                "shorter": shorter,
                "mark": mark,
                "whole": whole,
            }
            text = json.dumps(
                {**about, "names": names, "left_out": [str(p) for p in leave_out.problems]}
            ).encode()
            out.write(text)
            index_at = written + len(text)
            out.write(np.array(records, dtype=RECORD).tobytes())
            end = index_at + len(records) * RECORD.itemsize
            out.seek(0)
            out.write(HEAD.pack(MAGIC, VERSION, len(records), written, index_at, end))
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
    return leave_out.problems


def _stored(found: Found, shorter: int | None, cuts: bool, processes: int) -> Any:
    """Return the stored pictures in order, or for each that cannot be read the reason."""
    jobs = [(str(path), shorter, cuts) for path, _label in found.images]
    if processes < 2 or len(jobs) < 64:
        return map(_one, jobs)
    return _in_processes(jobs, processes)


def _in_processes(jobs: list[tuple[str, int | None, bool]], processes: int) -> Any:
    pool = ProcessPoolExecutor(processes)
    try:
        for first in range(0, len(jobs), 256):  # what is ready and not yet written stays small
            with deaf():
                some = pool.map(_one, jobs[first : first + 256], chunksize=8)
            yield from some
    except BrokenProcessPool:
        raise ImageError(
            _("A process that reads images was ended from outside. Is there too little memory for so many?")
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _one(job: tuple[str, int | None, bool]) -> Stored | str:
    try:
        return stored(*job)
    except ImageError as error:
        return str(error)


def _read(file: Any, lock: Any, data: np.ndarray, start: int) -> bool:
    """Fill ``data`` from there on; False where the file ends before. A read may give less than it was asked for."""
    place, done = data.data, 0
    while done < len(place):
        if sys.platform == "linux":
            count = os.preadv(file.fileno(), [place[done:]], start + done)
        else:
            with lock:
                file.seek(start + done)
                count = file.readinto(place[done:])
        if not count:
            return False
        done += count
    return True


class Pack:
    """A packed file, read without a lock and without opening it again. Each process opens it for itself."""

    def __init__(self, file: str | Path) -> None:
        self.file = Path(file)
        status, self.length, self._at = self._look()
        self._stamp = (status.st_size, status.st_mtime_ns)
        self._open: Any = None
        self._names: np.ndarray | None = (
            None  # where each name begins in the file, found when one is asked for
        )

    def _again(self) -> str:
        return _("Pack the images again (option `--repack`).")

    def _look(self) -> tuple[os.stat_result, int, tuple[int, int]]:
        try:
            with open(self.file, "rb") as file:
                status, head = os.fstat(file.fileno()), file.read(HEAD.size)
        except OSError as error:
            raise ImageError(f"{self.file}: {error.strerror}") from None
        if len(head) < HEAD.size or head[: len(MAGIC)] != MAGIC:
            raise ImageError(
                _("{file}: this is no packed file.").format(file=self.file) + " " + self._again()
            )
        _magic, version, length, names_at, index_at, end = HEAD.unpack(head)
        if version != VERSION:
            raise ImageError(
                _("{file}: packed by another version of this program.").format(file=self.file)
                + " "
                + self._again()
            )
        if status.st_size != end:
            raise ImageError(
                _("{file}: the file has {found} bytes instead of {due}.").format(
                    file=self.file, found=status.st_size, due=end
                )
                + " "
                + self._again()
            )
        return status, length, (names_at, index_at)

    def __getstate__(self) -> dict[str, Any]:
        # An open file cannot be pickled, and a mapped one would be copied.
        return self.__dict__ | {"_open": None, "_names": None}

    def __len__(self) -> int:
        return self.length

    def _opened(self) -> tuple[int, Any, np.ndarray, Any]:
        """Return what this process has open of the file: its number, the file, the index, a lock."""
        if self._open is None or self._open[0] != os.getpid():
            file = open(self.file, "rb", buffering=0)  # noqa: SIM115 (open as long as this object lives)
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) != self._stamp:
                file.close()
                raise ImageError(
                    _("{file}: the file has changed since it was opened.").format(file=self.file)
                )
            index = np.memmap(file, RECORD, "r", self._at[1], (self.length,))
            self._open = (os.getpid(), file, index, threading.Lock())
        return self._open

    @property
    def index(self) -> np.ndarray:
        """A record for each picture; mapped, so that the processes share it."""
        return self._opened()[2]

    def about(self) -> dict[str, Any]:
        """Return the classes, the pictures' names, the folder they are from, what was left out, and how many cannot be cut."""
        with open(self.file, "rb") as file:
            file.seek(self._at[0])
            return json.loads(file.read(self._at[1] - self._at[0]))

    @property
    def whole(self) -> int:
        """The number of pictures that are decoded as a whole, since they cannot be cut; all of an older program's."""
        return self.about().get("whole", len(self))

    @property
    def classes(self) -> list[str]:
        """The names of the classes, in the order of their numbers."""
        return self.about()["classes"]

    def name(self, number: int) -> str:
        """Return the path of a picture in its folder. The first one takes a while; none makes objects of all of them."""
        if self._names is None:
            with open(self.file, "rb") as file:
                file.seek(self._at[0])
                text = file.read(self._at[1] - self._at[0])
            begin = text.index(NAMES) + len(NAMES)
            found = (match.start() for match in islice(NAME.finditer(text, begin), self.length))
            self._names = np.fromiter(found, np.int64, self.length) + self._at[0]
        with open(self.file, "rb") as file:
            file.seek(int(self._names[number]))
            return json.JSONDecoder().raw_decode(file.read(LONGEST_NAME).decode("latin-1"))[0]

    def bytes_of(self, record: Any) -> np.ndarray:
        """Return the JPEG bytes of a picture, in memory of their own.

        What fails is tried again a few times, from a file opened anew: on a network file system that mends a stale handle.
        Raises OSError where it does not, and ImageError where the file has become shorter or is another one.
        """
        for pause in PAUSES:
            try:
                return self._bytes_of(record)
            except OSError:
                self._open = None  # not closed: another thread may be reading from it
                time.sleep(pause)
        return self._bytes_of(record)

    def _bytes_of(self, record: Any) -> np.ndarray:
        _pid, file, _index, lock = self._opened()
        data = np.empty(int(record["bytes"]), dtype=np.uint8)
        if not _read(file, lock, data, int(record["start"])):
            if os.fstat(file.fileno()).st_size < self._stamp[0]:
                raise ImageError(
                    _("{file}: the file has become shorter.").format(file=self.file) + " " + self._again()
                )
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return data

    def close(self) -> None:
        """Let go of the file, which Windows does not remove while it is open; it is opened again where needed."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def check_folder(
        self, folder: str | Path, shorter: int | None = None, classes: Sequence[str] | None = None
    ) -> None:
        """Raise ImageError where the folder is not as it was when it was packed, or has not these classes."""
        folder, about = Path(folder), self.about()
        same = fingerprint(find(folder), folder, shorter) == about["mark"]
        if not same or list(classes or about["classes"]) != about["classes"]:
            raise ImageError(
                _(
                    "{file}: made of another state of {folder}, or with another stored size or other classes."
                ).format(file=self.file, folder=folder)
                + " "
                + self._again()
            )

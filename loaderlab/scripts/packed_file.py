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
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from .cuts import is_cuttable
from .images import ImageError, Stored, find, fingerprint
from .unfinished import unfinished
from .words import translate as _

MAGIC = b"LOADPACK"
VERSION = 1
HEAD = struct.Struct("<8sIQQQQ")  # magic, version, pictures, where names and index begin, where the file ends
HEAD_BYTES = 64
PAUSES = (0.1, 0.5, 2.0)  # seconds before a read that failed is tried again, on a file opened anew
LONGEST_NAME = 2**15  # characters: a path of 4096 bytes, each of them escaped
# In the JSON: where they begin, and one of them.
NAMES, NAME = (b', "names": [', re.compile(rb'"(?:[^"\\]|\\.)*"'))
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


class PackWriter:
    """A packed file while it is written, to be used in a `with` block: the file appears only when it is complete."""

    def __init__(self, file: Path) -> None:
        self.file, self._part = file, unfinished(file)
        self.names: list[str] = []
        self._records: list[np.ndarray] = []
        self._written, self._whole = HEAD_BYTES, 0

    def __enter__(self) -> PackWriter:
        self._out = open(self._part, "wb")
        self._out.write(bytes(HEAD_BYTES))
        return self

    def __exit__(self, *_error: object) -> None:
        self._out.close()
        self._part.unlink(missing_ok=True)

    def add(self, image: Stored, label: int, name: str) -> None:
        """Add a picture, with its class and the path that it has in its folder."""
        self._out.write(image.data)
        place = (self._written, len(image.data), label)
        record = (*place, image.width, image.height, image.frame, image.orientation)
        self._records.append(np.array([record], dtype=RECORD))
        self.names.append(name)
        self._written += len(image.data)
        self._whole += not is_cuttable(image.data)

    def append(self, pack: Pack, about: dict[str, Any]) -> None:
        """Add all pictures of another packed file, and their names, which stand in what is said ``about`` it."""
        records = pack.index.copy()
        records["start"] += self._written - HEAD_BYTES
        with open(pack.file, "rb") as file:
            file.seek(HEAD_BYTES)
            left = pack.image_bytes
            while left:
                left -= self._out.write(file.read(min(left, 1 << 20)))
        self._records.append(records)
        self.names += about["names"]
        self._written += pack.image_bytes
        self._whole += about["whole"]

    def finish(self, about: dict[str, Any], left_out: Sequence[str]) -> None:
        """Write what is said ``about`` the pictures, and the index, and give the file its name."""
        text = json.dumps({**about, "whole": self._whole, "names": self.names, "left_out": list(left_out)})
        data = text.encode()
        self._out.write(data)
        index_at = self._written + len(data)
        index = np.concatenate([np.empty(0, RECORD), *self._records])
        self._out.write(index.tobytes())
        self._out.seek(0)
        end = index_at + index.nbytes
        self._out.write(HEAD.pack(MAGIC, VERSION, len(index), self._written, index_at, end))
        self._out.close()
        os.replace(self._part, self.file)


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
        # Where each name begins in the file, found when one is asked for.
        self._names: np.ndarray | None = None

    def _again(self) -> str:
        return _("Pack the images again (option `--repack`).")

    def _look(self) -> tuple[os.stat_result, int, tuple[int, int]]:
        try:
            with open(self.file, "rb") as file:
                status, head = os.fstat(file.fileno()), file.read(HEAD.size)
        except OSError as error:
            raise ImageError(f"{self.file}: {error.strerror}") from None
        if len(head) < HEAD.size or head[: len(MAGIC)] != MAGIC:
            text = _("{file}: this is no packed file. Give one that this program packed, or a new name.")
            raise ImageError(text.format(file=self.file))
        _magic, version, length, names_at, index_at, end = HEAD.unpack(head)
        if version != VERSION:
            text = _("{file}: packed by another version of this program.")
            raise ImageError(text.format(file=self.file) + " " + self._again())
        if status.st_size != end:
            text = _("{file}: the file has {found} bytes instead of {due}.")
            raise ImageError(text.format(file=self.file, found=status.st_size, due=end) + " " + self._again())
        return status, length, (names_at, index_at)

    def __getstate__(self) -> dict[str, Any]:
        # An open file cannot be pickled, and a mapped one would be copied.
        return self.__dict__ | {"_open": None, "_names": None}

    def __len__(self) -> int:
        return self.length

    @property
    def image_bytes(self) -> int:
        """The bytes of all pictures together."""
        return self._at[0] - HEAD_BYTES

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
            empty = np.empty(0, RECORD)  # which cannot be mapped
            index = np.memmap(file, RECORD, "r", self._at[1], (self.length,)) if self.length else empty
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
            text = _(
                "{file}: made of another state of {folder}, or with another stored size or other classes."
            )
            raise ImageError(text.format(file=self.file, folder=folder) + " " + self._again())

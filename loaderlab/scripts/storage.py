"""Files below a folder or an address (https://, s3:// …): read in bounded blocks, and again from the byte where a transfer broke off."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from .images import ImageError
from .words import number
from .words import translate as _

BLOCK = 8 << 20  # bytes that are asked for at once, and that are asked for again where their transfer breaks
TRIES = 6  # in a row, without a byte that came
PAUSE = 0.5  # seconds before the second try; each further one is twice as long
STALL = 30.0  # seconds without a byte, after which a transfer over HTTP counts as broken


class StorageError(ImageError):
    """A file that cannot be read: which, at which byte, and what its server said.

    Its text stays as it is: webdataset puts further arguments into the exceptions that pass through it.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return self.text


def is_address(place: str | Path) -> bool:
    """Tell an address, which fsspec reads, from the path of a folder."""
    return "://" in str(place)


class Storage:
    """The files below a folder or an address. ``options`` are those of fsspec's file system for it (``storage_options``).

    An address is connected to as soon as this is made, so make it in the process that reads: connections do not survive a fork.
    """

    def __init__(self, place: str | Path, options: Mapping[str, Any] | None = None) -> None:
        self.place = str(place).rstrip("/")
        self.fs: Any = None
        if is_address(place):
            self.fs, self.root = _connected(self.place, options or {})

    def read(self, name: str) -> bytes:
        """Return the contents of a small file. Raises OSError or StorageError."""
        if self.fs is None:
            return (Path(self.place) / name).read_bytes()
        return patiently(
            lambda: self.fs.cat_file(f"{self.root}/{name}"), lambda why: f"{self.place}/{name}: {why}"
        )

    def open(self, name: str, size: int) -> BinaryIO:
        """Open a file of so many bytes, to be read from its beginning to its end; memory: three blocks at most."""
        if self.fs is None:
            return (Path(self.place) / name).open("rb")
        return io.BufferedReader(
            Transfer(self.fs, f"{self.root}/{name}", f"{self.place}/{name}", size), BLOCK
        )


class Transfer(io.RawIOBase):
    """A file that fsspec opens, of ``size`` bytes: no more and no fewer come, or StorageError is raised."""

    def __init__(self, fs: Any, path: str, address: str, size: int) -> None:
        self.fs, self.path, self.address, self.size = fs, path, address, size
        self.at = 0
        self._file: Any = None
        self._streamed = False  # by a server without ranges

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        due = min(len(buffer), self.size - self.at)
        if due <= 0:
            return 0
        # At the end one byte more is asked for, of which there should be none: no further request tells a longer file.
        asked = due + (self.at + due == self.size)
        data = patiently(lambda: self._read(asked), self._broken)
        if len(data) > due:
            text = _(
                "the server sends more than the bytes that were due ({due}). Copy the shards there again, with their index.json."
            )
            raise StorageError(self._broken(text.format(due=number(due))))
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)

    def _broken(self, why: str) -> str:
        text = _("{file}: at byte {byte} of {size}: {error}")
        return text.format(file=self.address, byte=self.at, size=self.size, error=why)

    def _read(self, count: int) -> bytes:
        """Return bytes from ``at`` on: at most so many, and none where there are none."""
        try:
            if self._file is None:
                self._file = self._opened()
            data: bytes = self._file.read(count)
        except ValueError:  # so fsspec says that a server gave the whole file instead of a range
            self._drop()
            if self._streamed:
                raise
            self._streamed = True
            return self._read(count)
        except BaseException:
            self._drop()
            raise
        if not data:
            self._drop()
        return data

    def _opened(self) -> Any:
        block = 0 if self._streamed else BLOCK
        size = self.size + 1  # the server is not asked for it
        file = self.fs.open(self.path, "rb", block_size=block, cache_type="none", size=size)
        if not self._streamed:
            file.seek(self.at)
            return file
        ahead = self.at
        while ahead:
            data = file.read(min(ahead, BLOCK))
            if not data:
                raise EOFError
            ahead -= len(data)
        return file

    def _drop(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def close(self) -> None:
        self._drop()
        super().close()


def patiently(read: Callable[[], bytes], broken: Callable[[str], str]) -> bytes:
    """Return the bytes that ``read`` gives, which is called again, after longer and longer pauses, while it fails or gives none.

    Raises StorageError after TRIES of them, and at once where trying again does not help; ``broken`` makes its text of a reason.
    """
    for tried in range(1, TRIES + 1):
        try:
            data = read()
        except Exception as error:
            why = f"{type(error).__name__}: {error}".removesuffix(": ")
            if _is_final(error):
                raise StorageError(broken(why)) from error
        else:
            if data:
                return data
            why = _("the server has no more bytes.")
        if tried < TRIES:
            # Drawn apart from the random numbers of the training. Workers that failed together do not come back together.
            time.sleep(PAUSE * 2 ** (tried - 1) * random.SystemRandom().uniform(0.5, 1.5))
    advice = _("Tries: {n}. When the server can be reached again, go on with this epoch.").format(n=TRIES)
    raise StorageError(f"{broken(why)} {advice}")


def _is_final(error: Exception) -> bool:
    """Tell what stays so, however often it is tried, from what may pass: timeouts, broken connections, 429, 5xx."""
    status = getattr(error, "status", None)  # of HTTP
    if isinstance(status, int) and status:
        return status < 500 and status not in (408, 425, 429)
    return isinstance(
        error, (FileNotFoundError, PermissionError, ValueError, TypeError, ImportError, NotImplementedError)
    )


def _connected(address: str, options: Mapping[str, Any]) -> tuple[Any, str]:
    """Return fsspec's file system for an address, and the address as that one wants it; not shared with anyone."""
    try:
        from fsspec.core import url_to_fs  # comes with torch

        if address.startswith(("http://", "https://")):
            from aiohttp import ClientTimeout

            # Without this, it is five minutes for each request, whether bytes come or not.
            patience = ClientTimeout(total=None, sock_connect=STALL, sock_read=STALL)
            options = {**options, "client_kwargs": {"timeout": patience} | options.get("client_kwargs", {})}
        fs, root = url_to_fs(address, skip_instance_cache=True, **options)
    except (ImportError, ValueError) as error:  # a library that is not there; a protocol that nobody knows
        text = _(
            "{address}: cannot be read here: {error}. `pip install aiohttp` is for https://, `pip install s3fs` for s3://."
        )
        raise StorageError(text.format(address=address, error=error)) from None
    return fs, str(root)

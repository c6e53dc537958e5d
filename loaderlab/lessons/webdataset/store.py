"""A storage far away, played in this process: it counts the requests, and waits before each answer."""

from __future__ import annotations

import io
import random
import tarfile
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

IMAGES, CLASSES, SHARDS = 800, 8, 16
NBYTES = 1000  # of an image
LATENCY_MS = 0.5  # that `rate` waits for each answer

# Takes a store and a seed; yields pairs of an image and its class.
Read = Callable[["Store", int], Iterable[tuple[bytes, int]]]


class Store:
    """The images, sorted by class, as files and in shards; ``requests`` and ``nbytes`` count what was asked for and read."""

    def __init__(self, latency_ms: float = 0.0) -> None:
        self.latency_ms = latency_ms
        self.requests = self.nbytes = 0

    @property
    def names(self) -> list[str]:
        """The names of all files, in order."""
        return sorted(_contents())

    def get(self, name: str) -> Answer:
        """Ask for one file; returns what can be read like an open one, from front to end."""
        content = _contents()[name]
        self.requests += 1
        time.sleep(self.latency_ms / 1000)
        return Answer(self, content)


class Answer(io.RawIOBase):
    """The answer to one request, which is read once, as from a network."""

    def __init__(self, store: Store, content: bytes) -> None:
        self._store, self._left = store, memoryview(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        self._store.nbytes += count
        return count


@cache
def samples() -> list[tuple[bytes, int]]:
    """Return all images with their classes."""
    rng = random.Random(0)
    return [(rng.randbytes(NBYTES), label(index)) for index in range(IMAGES)]


def label(index: int) -> int:
    """Return the class of an image."""
    return index * CLASSES // IMAGES


@cache
def _contents() -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for index, (image, label) in enumerate(samples()):
        files |= {f"{index:06d}.bin": image, f"{index:06d}.cls": str(label).encode()}
    names, each = list(files), 2 * IMAGES // SHARDS
    shards = {
        f"train-{shard:06d}.tar": _archive({name: files[name] for name in names[shard * each :][:each]})
        for shard in range(SHARDS)
    }
    return files | shards


def _archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def shard_bytes() -> int:
    """Return the bytes of all shards."""
    return sum(len(content) for name, content in _contents().items() if name.endswith(".tar"))


def rate(read: Read) -> float:
    """Return the images per second of an epoch, from a store that waits half a millisecond before each answer."""
    store = Store(LATENCY_MS)
    store.names  # noqa: B018 (made before the time begins)
    started = time.perf_counter()
    count = sum(1 for _sample in read(store, 0))
    return count / (time.perf_counter() - started)

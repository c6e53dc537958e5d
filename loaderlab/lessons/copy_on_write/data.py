"""The same samples in several containers: what a Dataset holds, and what it weighs."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np

LENGTH = 64  # characters of a sample, all ASCII
CONTAINERS = ("list", "object_array", "dict", "json", "fixed_width", "packed", "array", "memmap")


def strings(count: int) -> list[str]:
    """``count`` strings of 64 characters, all different."""
    return [f"sample {i:08d} {'x' * (LENGTH - 16)}" for i in range(count)]


def make(container: str, count: int) -> Any:
    """Return the samples in one of ``CONTAINERS``."""
    if container == "array":  # the same bytes as numbers, one row for each sample
        return np.array(strings(count), dtype=f"S{LENGTH}").view(np.uint8).reshape(count, LENGTH)
    if container == "memmap":
        return Mapped(strings(count))
    if container == "fixed_width":
        return np.array(strings(count), dtype=f"S{LENGTH}")
    if container == "packed":
        return Packed(strings(count))
    if container == "object_array":
        return np.array(strings(count), dtype=object)
    if container == "dict":
        return dict(enumerate(strings(count)))
    if container == "json":
        return Index(strings(count))
    return strings(count)


class Index:
    """File names in a list of dictionaries, as ``json.load`` makes one of the images that COCO lists."""

    def __init__(self, names: list[str]) -> None:
        images = [{"id": i, "file_name": name} for i, name in enumerate(names)]
        self.images: list[dict[str, Any]] = json.loads(json.dumps(images))

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> str:
        name: str = self.images[index]["file_name"]
        return name


class Packed:
    """Strings of ASCII characters of the same length, one after the other in one ``bytes`` object."""

    def __init__(self, texts: list[str]) -> None:
        self.text = "".join(texts).encode("ascii")

    def __len__(self) -> int:
        return len(self.text) // LENGTH

    def __getitem__(self, index: int) -> str:
        return self.text[index * LENGTH : (index + 1) * LENGTH].decode("ascii")


class Mapped:
    """Strings of ASCII characters of the same length in a mapped file, which is gone when nobody maps it any more."""

    def __init__(self, texts: list[str]) -> None:
        with tempfile.TemporaryFile() as file:
            file.write("".join(texts).encode("ascii"))
            file.flush()
            self.rows = np.memmap(
                file, np.uint8, mode="r", shape=(len(texts), LENGTH)
            )  # and no page is touched

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> bytes:
        return self.rows[index].tobytes()


def nbytes(items: Any) -> int:
    """Return the bytes of a container with all that is in it. Touches every object: call it before there is a child."""
    if isinstance(items, Packed):
        return len(items.text)
    if isinstance(items, Mapped):
        return items.rows.nbytes
    if isinstance(items, Index):  # the keys are the same few strings in all entries
        values = (value for image in items.images for value in image.values())
        return sys.getsizeof(items.images) + _sizes(items.images) + _sizes(values)
    if isinstance(items, np.ndarray):
        return items.nbytes + (_sizes(items.tolist()) if items.dtype == object else 0)
    if isinstance(items, dict):
        return sys.getsizeof(items) + _sizes(items) + _sizes(items.values())
    return sys.getsizeof(items) + _sizes(items)


def _sizes(objects: Iterable[Any]) -> int:
    # Memory is handed out in pieces of 16 bytes.
    return sum(-(-sys.getsizeof(thing) // 16) * 16 for thing in objects)


def indices(order: str, count: int) -> np.ndarray:
    """Return the indices of one epoch, ``in_order`` or ``shuffled``."""
    return np.arange(count) if order == "in_order" else np.random.default_rng(0).permutation(count)


class Samples:
    """Map-style Dataset over a container: an item is the length of a sample, so that little has to be sent."""

    def __init__(self, items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> int:
        return len(self.items[index])


class Codes:
    """Map-style Dataset over a container of strings: an item is the text's bytes, as a tensor of whole numbers."""

    def __init__(self, items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        import torch

        return torch.frombuffer(bytearray(self.items[index], "ascii"), dtype=torch.uint8)


class Idle:
    """A dataset as long as ``Samples`` that holds nothing: its workers take only what any worker needs."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return LENGTH

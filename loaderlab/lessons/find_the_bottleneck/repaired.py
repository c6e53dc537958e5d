"""One repair for each of the nine faults. Do the exercise first: this is what it asks for.

``after(3)`` has the first three repairs, ``without("opens")`` all of them but one, ``only("opens")`` just one.
Workers that are spawned find these classes by their names, so they are made when somebody asks for them.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from loaderlab.lessons.find_the_bottleneck import found
from loaderlab.measuring import machine


class FixedWidth:
    """The index is one array of fixed width."""

    def make_index(self) -> None:
        self.index = np.array([f"{i % self.files:04d}" for i in range(self.photos)], dtype="S")

    def entry(self, i: int) -> dict[str, str]:
        name = self.index[i].decode()
        return {"image": name + ".jpg", "label": name + ".txt"}


class WorkersGenerator:
    """Each draw is from the generator that PyTorch has seeded for this worker."""

    def make_generator(self) -> None:
        pass

    def draw(self) -> list[int]:
        return [int(torch.randint(high, ())) for high in (9, 9, 2)]


class Packed:
    """One open for each worker: the packed file, at the first read."""

    offsets = None

    def read(self, i: int) -> tuple[Any, int]:
        if self.offsets is None:
            self.offsets = np.load(self.folder / "offsets.npy")
            self.labels = np.load(self.folder / "labels.npy")
            self.packed = np.memmap(self.folder / "packed.bin", mode="r")
        file = i % self.files
        start, end = self.offsets[file : file + 2]
        return self.packed[start:end].tobytes(), int(self.labels[file])


class Bytes:
    """Bytes cross the pipe."""

    def finish(self, pixels: Any) -> torch.Tensor:
        return torch.from_numpy(pixels)


class Floats:
    """The device makes floats of the bytes that have arrived; to a GPU they come from pinned memory."""

    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = super().options()
        return options | {"pin_memory": self.device.type == "cuda"}

    def prepare(self, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
        images, labels = super().prepare(batch)
        return images.float() / 255, labels


class Stacked:
    """Two tensors for each batch."""

    @staticmethod
    def collate(samples: Any) -> tuple[torch.Tensor, torch.Tensor]:
        images, labels = zip(*samples, strict=True)
        return torch.stack(images), torch.stack(labels)

    def prepare(self, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
        images, labels = batch
        # Without effect on a CPU, and where the source is not pinned.
        return images.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True)


class AsManyAsCores:
    """As many workers as cores, with one thread each, which PyTorch sees to; for the step of 14 ms four are enough."""

    def workers(self) -> dict[str, Any]:
        cores = max(1, int(machine.usable_cores()))
        return {"num_workers": cores if self.device.type == "cuda" else min(4, cores)}


class Persistent:
    """The workers stay."""

    def lifetime(self) -> dict[str, Any]:
        return {"persistent_workers": True}


class NewOrder:
    """The sampler hears of the epoch."""

    def begin(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)


class HonestClock:
    """The clock runs from before the first batch is asked for to the end of the last step, over what has arrived."""

    def epoch(self, epoch: int) -> float:
        samples = 0
        started = time.perf_counter()
        self.begin(epoch)
        for batch in self.loader:
            images, labels = self.prepare(batch)
            self.step(images, labels)
            samples += len(labels)
        return samples / (time.perf_counter() - started)


# In the order in which the lesson repairs them: the clock first, since without it nobody sees the rest; then what gained most
# when each was recorded on top of those before it.
REPAIRS: dict[str, tuple[type | None, type | None]] = {
    "clock": (None, HonestClock),
    "lifetime": (None, Persistent),
    "tensors": (None, Stacked),
    "opens": (Packed, None),
    "workers": (None, AsManyAsCores),
    "floats": (Bytes, Floats),
    "index": (FixedWidth, None),
    "generator": (WorkersGenerator, None),
    "epoch": (None, NewOrder),
}


def only(*names: str) -> tuple[type, type]:
    """``(Photos, Training)`` with these repairs and the other faults."""
    code = "".join("x" if name in names else "_" for name in REPAIRS)
    return _made(f"Photos_{code}"), _made(f"Training_{code}")


def after(count: int) -> tuple[type, type]:
    return only(*list(REPAIRS)[:count])


def without(*names: str) -> tuple[type, type]:
    return only(*(name for name in REPAIRS if name not in names))


def _made(name: str) -> type:
    """Return the class of this name; made once, so that pickling finds the same one."""
    if name not in globals():
        kind, code = name.split("_", 1)
        chosen = [name for name, mark in zip(REPAIRS, code, strict=True) if mark == "x"]
        place = ("Photos", "Training").index(kind)
        # The later repair comes first, so that bytes are stacked before they become floats.
        parts = [part for repair in reversed(chosen) if (part := REPAIRS[repair][place])]
        members: dict[str, Any] = {"__module__": __name__}
        if kind == "Training":
            members["dataset_class"] = _made(f"Photos_{code}")
        globals()[name] = type(name, (*parts, getattr(found, kind)), members)
    made: type = globals()[name]
    return made


def __getattr__(name: str) -> Any:
    kind, _line, code = name.partition("_")
    if kind in ("Photos", "Training") and len(code) == len(REPAIRS) and set(code) <= {"x", "_"}:
        return _made(name)
    raise AttributeError(name)

"""Synthetic data sets, made on the spot, nothing to download.

They live in a module, not in a notebook cell, because a worker started by spawn or forkserver has to
import the class of the Dataset; a class that exists in a notebook only cannot be imported (lesson 1).
The module stands at the top of the package because learners and their workers import it by this name.
"""

from __future__ import annotations

import io
import random
import time
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset, Sampler, get_worker_info


@lru_cache(maxsize=4)
def jpegs(count: int = 16, size: int = 400, seed: int = 0) -> tuple[bytes, ...]:
    """``count`` JPEG files of ``size`` × ``size`` pixels, in memory: smooth colours with some noise, as in a photo."""
    rng = np.random.default_rng(seed)
    files = []
    for _ in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8))
        smooth = np.asarray(coarse.resize((size, size), Image.Resampling.BICUBIC), dtype=np.int16)
        noisy = np.clip(smooth + rng.integers(-12, 13, smooth.shape), 0, 255).astype(np.uint8)
        file = io.BytesIO()
        Image.fromarray(noisy).save(file, "JPEG", quality=90)
        files.append(file.getvalue())
    return tuple(files)


class JpegDataset(Dataset):
    """Map-style, ``length`` items: decodes a JPEG, crops and resizes it, as an image pipeline does. CPU-bound.

    An item is (image uint8 [3, side, side], label int). The files are few and repeat; decoding does not
    know that.
    """

    def __init__(self, length: int, side: int = 128) -> None:
        self.length, self.side = length, side
        self.files = jpegs()

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        image = Image.open(io.BytesIO(self.files[index % len(self.files)])).convert("RGB")
        edge = index % (image.height // 4)
        size = (self.side, self.side)
        image = image.resize(size, Image.Resampling.BILINEAR, box=(edge, edge, image.width, image.height))
        return torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous(), index % 10


class SleepDataset(Dataset):
    """Map-style, ``length`` items: each waits ``seconds``, as for a slow disk or a network, using no CPU.

    With ``slow_worker`` set, that worker waits ``slow_factor`` times as long. An item is its index.
    """

    def __init__(
        self, length: int, seconds: float, slow_worker: int | None = None, slow_factor: float = 10
    ) -> None:
        self.length, self.seconds = length, seconds
        self.slow_worker, self.slow_factor = slow_worker, slow_factor

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        slow = self.slow_worker is not None and worker_id() == self.slow_worker
        time.sleep(self.seconds * (self.slow_factor if slow else 1))
        return index


class WorkerDataset(Dataset):
    """Map-style, ``length`` items: an item says which worker made it (-1: the main process)."""

    def __init__(
        self, length: int, seconds: float = 0.0, slow_worker: int | None = None, slow_factor: float = 10
    ):
        self.waiting = SleepDataset(length, seconds, slow_worker, slow_factor)

    def __len__(self) -> int:
        return len(self.waiting)

    def __getitem__(self, index: int) -> int:
        self.waiting[index]
        return worker_id()


class ZerosDataset(Dataset):
    """Map-style, ``length`` items of ``nbytes`` bytes each (uint8): for counting bytes."""

    def __init__(self, length: int, nbytes: int) -> None:
        self.length, self.nbytes = length, nbytes

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.zeros(self.nbytes, dtype=torch.uint8)


class CountingSampler(Sampler[int]):
    """Yields 0 … length - 1 and counts in ``drawn`` how many indices the loader has asked for."""

    def __init__(self, length: int) -> None:
        self.length, self.drawn = length, 0

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        for index in range(self.length):
            self.drawn += 1
            yield index


class RandomDraws(Dataset):
    """Map-style: an item is what each usual generator draws at that moment, as three integers below 2**31.

    In order: torch's global generator, Python's ``random``, NumPy's global generator.
    """

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> torch.Tensor:
        torch_draw = int(torch.randint(2**31, ()))
        return torch.tensor([torch_draw, random.randrange(2**31), int(np.random.randint(2**31))])


class StoredGenerator(Dataset):
    """Map-style: an item is one draw of a NumPy generator that the Dataset itself stores. A trap."""

    def __init__(self, length: int, seed: int = 0) -> None:
        self.length = length
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        return int(self.rng.integers(2**31))


class StatelessDraws(Dataset):
    """Map-style: an item is one draw that depends on (seed, epoch, index) alone. Set ``epoch`` before each pass."""

    def __init__(self, length: int, seed: int = 0) -> None:
        self.length, self.seed, self.epoch = length, seed, 0

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        return int(np.random.default_rng([self.seed, self.epoch, index]).integers(2**31))


def worker_id() -> int:
    """Return the number of the worker that runs this, or -1 in the main process."""
    info = get_worker_info()
    return -1 if info is None else info.id

"""WebDataset: tar shards, a buffer that shuffles, batches made in the workers.

https://github.com/webdataset/webdataset#webdataset and https://webdataset.github.io/webdataset/api/WebDataset/:
shards in random order, `shuffle` after them, `batched` in the workers, `WebLoader(batch_size=None)`.
The samples were shuffled before they were written, and are collated by torch, so that a batch crosses in shared memory.
The standard work has `.decode("pil")`.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import webdataset
from torch.utils.data import default_collate

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, over, pixels, square


def prepare(job: Job) -> None:
    files = job.files()
    numbers = list(range(len(files)))
    random.Random(job.seed).shuffle(numbers)
    shards = min(len(files), 8 * max(1, job.workers))
    for shard in range(shards):
        with webdataset.TarWriter(str(Path(job.store) / f"{shard:04d}.tar"), mtime=0) as writer:
            for number in numbers[shard::shards]:
                image = files[number].read_bytes()
                writer.write({"__key__": f"{number:08d}", "jpg": image, "cls": str(number)})


def _work(job: Job, sample: tuple[Any, Any]) -> tuple[torch.Tensor, int]:
    image, label = sample
    if job.decoder == "own":  # decoded by WebDataset
        return torch.from_numpy(np.array(square(image, job))), int(label)
    return torch.from_numpy(pixels(image, job)), int(label)


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    warnings.filterwarnings("ignore", module="webdataset")
    shards = sorted(str(path) for path in Path(job.store).glob("*.tar"))

    dataset = webdataset.WebDataset(shards, shardshuffle=len(shards)).shuffle(1000)
    if job.decoder == "own":
        dataset = dataset.decode("pil")
    dataset = dataset.to_tuple("jpg", "cls").map(partial(_work, job))
    dataset = dataset.batched(job.batch, collation_fn=default_collate, partial=True)
    loader = webdataset.WebLoader(
        dataset, batch_size=None, num_workers=job.workers, persistent_workers=job.workers > 0
    )
    return over(loader)

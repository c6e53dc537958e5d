"""MosaicML Streaming: MDS shards, read by `StreamingDataset` and `StreamingDataLoader`.

https://docs.mosaicml.com/projects/streaming/en/stable/getting_started/quick_start.html: `MDSWriter`, the batch size told
to the dataset, `shuffle=True`, decoding in `__getitem__`, workers kept. The standard work decodes with
Pillow, as Streaming's column type "jpeg" does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from streaming import MDSWriter, StreamingDataLoader, StreamingDataset

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, over, pixels


class Images(StreamingDataset):
    """Decodes what the shards hold."""

    def __init__(self, job: Job) -> None:
        super().__init__(local=job.store, shuffle=True, batch_size=job.batch)
        self.job = job

    def __getitem__(self, at: Any) -> tuple[torch.Tensor, int]:
        item = super().__getitem__(at)
        return torch.from_numpy(pixels(item["image"], self.job)), item["number"]


def prepare(job: Job) -> None:
    with MDSWriter(out=job.store, columns={"image": "bytes", "number": "int"}) as writer:
        for number, path in enumerate(job.files()):
            writer.write({"image": path.read_bytes(), "number": number})


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    dataset = Images(job)
    loader = StreamingDataLoader(
        dataset, batch_size=job.batch, num_workers=job.workers, persistent_workers=job.workers > 0
    )
    return over(loader)

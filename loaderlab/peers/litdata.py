"""LitData: chunks written by `optimize`, read by `StreamingDataset` and `StreamingDataLoader`.

https://github.com/Lightning-AI/litData#speed-up-model-training and https://lightning.ai/docs/litdata: bytes in chunks
of 64 MB, `shuffle=True`, decoding in the dataset's `__getitem__`, workers kept. The standard work is Pillow's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import litdata
import torch

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, over, pixels


class Images(litdata.StreamingDataset):
    """Decodes what the chunks hold."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.store, shuffle=True, drop_last=False)
        self.job = job

    def __getitem__(self, index: Any) -> tuple[torch.Tensor, int]:
        item = super().__getitem__(index)
        return torch.from_numpy(pixels(item["image"], self.job)), item["number"]


def sample(item: tuple[int, str]) -> dict[str, Any]:
    """Return the record stored for an image."""
    return {"number": item[0], "image": Path(item[1]).read_bytes()}


def prepare(job: Job) -> None:
    inputs = [(number, str(path)) for number, path in enumerate(job.files())]
    litdata.optimize(
        fn=sample,
        inputs=inputs,
        output_dir=job.store,
        chunk_bytes="64MB",
        num_workers=max(1, job.workers),
        verbose=False,
    )


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    dataset = Images(job)
    loader = litdata.StreamingDataLoader(
        dataset, batch_size=job.batch, num_workers=job.workers, persistent_workers=job.workers > 0
    )
    return over(loader)

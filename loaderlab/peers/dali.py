"""DALI: a pipeline of operators in C++, here on the CPU (it can decode on a GPU, which this comparison does not).

https://docs.nvidia.com/deeplearning/dali/user-guide/docs/examples/use_cases/pytorch/resnet50/pytorch-resnet50.html: `readers.file`
that shuffles after each epoch, `decoders.image_random_crop`, which draws the part and decodes what comes before it, too (an ordinary JPEG is read from its
beginning), but transforms no more, `resize` with
triangular interpolation, `flip`. It has only its own decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

from loaderlab.peers.job import AT_ONCE, Job
from loaderlab.peers.pixels import SCALE, Batch, channels_first


def _decoded(data: Any, job: Job) -> Any:
    images = fn.decoders.image_random_crop(
        data, device="cpu", output_type=types.RGB, random_aspect_ratio=[3 / 4, 4 / 3], random_area=SCALE
    )
    images = fn.resize(images, size=[job.size, job.size], interp_type=types.INTERP_TRIANGULAR)
    return fn.flip(images, horizontal=fn.random.coin_flip())


def work(job: Job) -> Callable[[Sequence[tuple[int, np.ndarray]]], None]:
    """Return the work of the same operators in one thread, on images that are handed to them."""

    # One batch at a time: nothing is made ahead.
    @pipeline_def(
        batch_size=AT_ONCE, num_threads=1, device_id=None, seed=job.seed + 1, prefetch_queue_depth=1
    )
    def pipeline():  # type: ignore[no-untyped-def]
        return _decoded(fn.external_source(name="data"), job)

    built = pipeline()
    built.build()

    def some(images: Sequence[tuple[int, np.ndarray]]) -> None:
        built.feed_input("data", [data for _number, data in images])
        built.run()

    return some


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    files = [str(path) for path in job.files()]

    @pipeline_def(batch_size=job.batch, num_threads=max(1, job.workers), device_id=None, seed=job.seed + 1)
    def pipeline():  # type: ignore[no-untyped-def]
        numbers = list(range(len(files)))
        data, labels = fn.readers.file(
            files=files, labels=numbers, shuffle_after_epoch=True, pad_last_batch=True, name="reader"
        )
        return _decoded(data, job), labels

    built = pipeline()
    loader = DALIGenericIterator(
        [built], ["images", "labels"], reader_name="reader", last_batch_policy=LastBatchPolicy.PARTIAL
    )

    begun = False

    def epoch(number: int) -> Iterator[Batch]:
        nonlocal begun
        if begun:
            loader.reset()
        begun = True
        for found in loader:
            yield channels_first(found[0]["images"]), found[0]["labels"].flatten()

    return epoch

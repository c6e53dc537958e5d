"""SPDL: threads instead of processes. Decoders release Python's lock, so threads decode at the same time.

https://facebookresearch.github.io/spdl/main/migration/pytorch.html and
https://facebookresearch.github.io/spdl/main/getting_started/index.html: a source of keys, a stage that decodes with
``concurrency``, a sink that buffers. Here a stage works on a whole batch, straight into its
tensor: a stage for each image, and `aggregate`, took 1.6 times as long.
The standard work is done with `spdl.io` (FFmpeg, whose libraries it needs), cropping, scaling and mirroring in FFmpeg's filters the
parts that RandomResizedCrop would draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from spdl.pipeline import PipelineBuilder

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, channels_first, part, pixels


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    files = [str(path) for path in job.files()]
    load = _own(job, files) if job.decoder == "own" else _same(job, files)
    threads = job.workers + 1  # one more than cores: the fastest here, as some always wait for Python's lock

    def epoch(number: int) -> Iterator[Batch]:
        order = job.order(number)
        batches = [order[at : at + job.batch] for at in range(0, len(order), job.batch)]
        builder = PipelineBuilder().add_source(batches).pipe(load, concurrency=threads).add_sink(2 * threads)
        pipeline = builder.build(num_threads=threads)
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()

    return epoch


def _same(job: Job, files: list[str]) -> Callable[[list[int]], Batch]:
    def load(numbers: list[int]) -> Batch:
        images = torch.empty((len(numbers), job.size, job.size, 3), dtype=torch.uint8)
        for out, number in zip(images.numpy(), numbers, strict=True):
            with open(files[number], "rb") as file:
                pixels(file.read(), job, out)
        return channels_first(images), torch.tensor(numbers)

    return load


def _own(job: Job, files: list[str]) -> Callable[[list[int]], Batch]:
    decode = _decoder(job)
    decode(files[:1])  # says at once where FFmpeg's libraries are missing

    def load(numbers: list[int]) -> Batch:
        images = np.asarray(decode([files[number] for number in numbers]))
        return channels_first(torch.from_numpy(images)), torch.tensor(numbers)

    return load


def _decoder(job: Job) -> Callable[[Sequence[Any]], Any]:
    """Return a function of files, or of JPEGs in memory, that gives an array of their squares."""
    import spdl.io

    one_thread = spdl.io.decode_config(decoder_options={"threads": "1"})

    def decode(sources: Sequence[Any]) -> Any:
        frames = []
        for found in sources:
            packets = spdl.io.demux_image(found)
            filters = _filters(job, packets.width, packets.height)
            frames.append(spdl.io.decode_packets(packets, decode_config=one_thread, filter_desc=filters))
        return spdl.io.to_numpy(spdl.io.convert_frames(frames))

    return decode


def _filters(job: Job, width: int, height: int) -> str:
    drawn = part(job, (width, height))
    crop = f"crop={drawn.width}:{drawn.height}:{drawn.left}:{drawn.top}:exact=1"
    scale = f"scale=w={drawn.size}:h={drawn.size}:flags=bilinear"
    return ",".join([crop, scale, *(["hflip"] if drawn.mirrored else []), "format=pix_fmts=rgb24"])


def work(job: Job) -> Callable[[Sequence[tuple[int, np.ndarray]]], None]:
    """Return the decoding of SPDL's threads."""
    decode = _decoder(job)

    def some(images: Sequence[tuple[int, np.ndarray]]) -> None:
        decode([data.tobytes() for _number, data in images])

    return some

"""DALI: a pipeline of operators in C++, here on the CPU (it can decode on a GPU, which this comparison does not).

https://docs.nvidia.com/deeplearning/dali/user-guide/docs/examples/general/data_loading/: `readers.file` that shuffles
after each epoch, `decoders.image_crop`, which decodes what the crop needs, `flip`. It has only its own decoder.
It works up to two batches ahead over the end of an epoch: where an epoch has few batches, that flatters it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nvidia.dali import fn, pipeline_def
from nvidia.dali.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, channels_first


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    files, cut = [str(path) for path in job.files()], job.size * job.factor

    @pipeline_def(batch_size=job.batch, num_threads=max(1, job.workers), device_id=None, seed=job.seed + 1)
    def pipeline():  # type: ignore[no-untyped-def]
        numbers = list(range(len(files)))
        data, labels = fn.readers.file(
            files=files, labels=numbers, shuffle_after_epoch=True, pad_last_batch=True, name="reader"
        )
        x, y = fn.random.uniform(range=[0.0, 1.0]), fn.random.uniform(range=[0.0, 1.0])
        images = fn.decoders.image_crop(data, device="cpu", crop=(cut, cut), crop_pos_x=x, crop_pos_y=y)
        if job.factor > 1:
            images = fn.resize(images, size=[job.size, job.size])
        return fn.flip(images, horizontal=fn.random.coin_flip()), labels

    built = pipeline()
    loader = DALIGenericIterator(
        [built],
        ["images", "labels"],
        reader_name="reader",
        last_batch_policy=LastBatchPolicy.PARTIAL,
        prepare_first_batch=False,  # else it works for the next epoch while the others are timed
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

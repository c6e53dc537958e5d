"""Images from tar shards with webdataset: every sample in every epoch, a new order each time, and ranks in step.

- The order of the shards is drawn anew in each epoch, from (seed, epoch), the same on all ranks; then shards are dealt
  out to ranks and to workers. The epoch reaches persistent workers in shared memory.
- The samples were shuffled when the shards were written; the buffer (`shuffle`) mixes those of the shards that a worker
  reads. It is filled before it delivers (`initial`).
- `with_epoch` is not needed: the index beside the shards says how many samples the busiest rank has, and a rank that has
  fewer begins its shards again. What is repeated is counted. This does not depend on the workers, so hosts may have
  other numbers of cores; what the workers' last batches lack is put together, so all ranks have batches of one size.
- An image that cannot be decoded is named and counted, and left out. A damaged shard stops the program.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from . import decoders, machine, shell
from .augmentation import Augmentation
from .dataset import empty
from .decoders import fill, upright
from .distributed_sampler import remainder
from .efficient_dataloader import accelerator, as_it_is, to_float
from .epochs import Epochs
from .evened import evened
from .images import ImageError, left_out, synthetic
from .ranks import agree, place
from .ring import Batch, superseded
from .shards import Shards, check_folder, library, look, write
from .storage import is_address
from .words import number
from .words import translate as _

MUCH = 0.05  # samples of an epoch that come twice or not at all, from which on it is said


class ShardImages(IterableDataset):
    """Batches of this rank's shards, decoded where they will stay; each worker's last one may be incomplete."""

    def __init__(
        self,
        shards: Shards,
        batch_size: int,
        seen: Augmentation,
        buffer: int,
        rank: int,
        ranks: int,
        *,
        shuffle: bool,
        decoder: str,
        strict: bool,
    ) -> None:
        self.shards, self.batch_size, self.seen, self.buffer = shards, batch_size, seen, buffer
        self.rank, self.ranks, self.shuffle = rank, ranks, shuffle
        self.decoder, self.strict = decoders.choose(decoder), strict
        self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()

    def plan(self, epoch: int) -> list[list[int]]:
        """Return the shards of each rank in an epoch."""
        return self.shards.dealt(self.seen.seed, epoch, self.ranks, self.shuffle)

    def __iter__(self) -> Iterator[Batch]:
        wds, epoch = library(), int(self.epoch)
        worker = get_worker_info()
        mine = self.plan(epoch)[self.rank]
        if not mine:
            return
        if worker is not None:
            mine = mine[worker.id :: worker.num_workers]
        reading = wds.tariterators
        stream = reading.group_by_keys(reading.tar_file_expander(self.shards.opened(mine)))
        if self.shuffle and self.buffer > 1:
            mixed = int(
                np.random.default_rng([self.seen.seed, epoch, worker.id if worker else 0]).integers(2**31)
            )
            stream = wds.shuffle(self.buffer, initial=self.buffer, seed=mixed)(stream)
        samples = iter(stream)
        while group := list(islice(samples, self.batch_size)):
            yield self._decoded(group, epoch)

    def _decoded(self, group: list[dict[str, Any]], epoch: int) -> Batch:
        images = empty(len(group), self.seen.size, self.seen.size, 3)
        places = images.numpy()
        labels: list[int] = []
        problems: list[str] = []
        abouts = [json.loads(sample["json"]) for sample in group]
        keys = [int(sample["__key__"]) for sample in group]
        views = self.seen.views(epoch, keys, map(upright, abouts))
        for sample, about, key, view in zip(group, abouts, keys, views, strict=True):
            place = places[len(labels)]
            try:
                fill(place, bytearray(sample["jpg"]), about, view, self.decoder)
            except ImageError as error:
                problems.append(f"{sample['__url__']}: {sample['__key__']}: {about['path']}: {error}")
                if self.strict:
                    raise ImageError(problems[0]) from error
            else:
                self.seen.change(place, epoch, key)
                labels.append(int(sample["cls"]))
        return Batch(images[: len(labels)].permute(0, 3, 1, 2), torch.tensor(labels), problems)


class ShardLoader(Epochs):
    """Iterating gives the batches of an epoch: on every rank as many, and of the same sizes.

    Each epoch is the one after the last that was seen to its end, unless `set_epoch` says which. Shards are read from their
    beginning, so a training that was stopped continues at an epoch, not within one.
    """

    def __init__(
        self,
        dataset: ShardImages,
        workers: int,
        uneven: str = "pad",
        drop_last: bool = False,
        prefetch: int = 2,
        start_method: str | None = None,
        on_batch: Callable[[torch.Tensor, torch.Tensor], Any] | None = None,
    ) -> None:
        super().__init__(dataset.shuffle)
        self.dataset, self.workers, self.uneven, self.drop_last = dataset, workers, uneven, drop_last
        self.on_batch = on_batch
        self.repeated = 0  # samples of the last epoch that came again, to keep the ranks in step
        self.left_out = 0  # images that could not be decoded so far, in all epochs
        self._loops = 0  # that have begun
        self.loader = DataLoader(
            dataset,
            batch_size=None,  # the batches are made already
            collate_fn=as_it_is,
            num_workers=workers,
            pin_memory=accelerator(),
            persistent_workers=workers > 0,
            prefetch_factor=prefetch if workers else None,
            multiprocessing_context=start_method if workers else None,
            worker_init_fn=machine.quiet,
        )

    def _sizes(self) -> list[int]:
        """Return how many samples each batch of the next epoch has."""
        data = self.dataset
        whole, rest = divmod(data.shards.due(data.plan(self.epoch), data.rank, self.uneven), data.batch_size)
        return [data.batch_size] * whole + [rest] * (rest > 0 and not self.drop_last)

    def __len__(self) -> int:
        """Return batches of the next epoch; with shards of different sizes, epochs may differ by a few."""
        return len(self._sizes())

    def __iter__(self) -> Iterator[Any]:
        sizes, turn = self._sizes(), self.begin()
        self.dataset.epoch.fill_(self.epoch)
        self.repeated, self._own = 0, sum(sizes)
        came = 0
        for step, batch in enumerate(evened(self._messages(), sizes), 1):
            came += len(batch.labels)
            if step == len(sizes):  # before it is handed out: not everyone asks for one more
                self.finish(turn)
                self.repeated = max(0, came - self._own)
            yield self.on_batch(*batch.opened()) if self.on_batch else batch.opened()
            del batch
        self.finish(turn)

    def _messages(self) -> Iterator[Batch]:
        """Yield the batches of the workers; where every rank gives as much, the shards begin again as often as is needed."""
        self._loops += 1
        loop = self._loops
        while True:
            came = 0
            with machine.deaf():
                batches = iter(self.loader)
            for batch in batches:
                for problem in batch.problems:
                    left_out(problem)
                self.left_out += len(batch.problems)
                came += len(batch.labels)
                yield batch
                if self.workers and self._loops != loop:  # they have begun again, for the other loop
                    raise superseded()
            if self.uneven == "once":
                return
            self._own = min(self._own, came)  # the first time through
            if not came:
                raise ImageError(
                    _("{folder}: no readable image for this rank.").format(folder=self.dataset.shards.folder)
                )


def loader(
    folder: str | Path,
    batch_size: int = 64,
    *,
    size: int = 224,
    workers: int | None = None,
    decoder: str = "auto",
    buffer: int = 256,
    shuffle: bool = True,
    augment: bool = True,
    seed: int = 0,
    drop_last: bool = False,
    uneven: str | None = None,
    rank: int | None = None,
    ranks: int | None = None,
    group: Any = None,
    strict: bool = False,
    prefetch: int = 2,
    start_method: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    least: int | None = None,
    scale: tuple[float, float] | None = None,
    ratio: tuple[float, float] = (3 / 4, 4 / 3),
    interpolation: str = "bilinear",
    transform: Callable[[torch.Tensor], torch.Tensor] | None = None,
    on_batch: Callable[[torch.Tensor, torch.Tensor], Any] | None = None,
) -> ShardLoader:
    """Return batches (uint8 [B, 3, size, size], int64 [B]) of a folder of shards, or of an address (`storage.py`), which fsspec
    reads with these ``storage_options``.

    Rank, ranks and workers (those of the recipe, but one for each shard at most) are found out if not given. ``uneven``,
    ``drop_last`` and ``strict`` are those of the recipe; here "pad" and "drop" give to each rank as many samples as the
    rank has whose shards have most, or least. What is seen of an image (``least``, ``scale``, ``ratio``, ``interpolation``),
    ``transform`` and ``on_batch`` are those of the recipe, too. Warns, on the first rank, where there are too few shards for
    the workers, or too many samples would come twice. For an evaluation: ``shuffle=False, augment=False``; every sample comes once.
    """
    shards = look(folder, storage_options)
    rank, ranks = place(rank, ranks, group)
    uneven = remainder(uneven, evaluation=not (shuffle or augment))
    if len(shards.names) < ranks and uneven != "once":
        raise ImageError(
            _("Shards: {shards}, ranks: {ranks}. Every rank needs one: write more shards.").format(
                shards=len(shards.names), ranks=ranks
            )
        )
    asked = machine.workers(accelerator()) if workers is None else workers
    workers = min(asked, max(1, len(shards.names) // ranks))  # one without a shard would have nothing to do
    dataset = ShardImages(
        shards,
        batch_size,
        Augmentation(size, least or 0, augment, seed, scale, ratio, interpolation, transform),
        buffer,
        rank,
        ranks,
        shuffle=shuffle,
        decoder=decoder,
        strict=strict,
    )
    agree(
        group,
        shards=len(shards.names),
        images=sum(shards.samples),
        batch_size=batch_size,
        shuffle=shuffle,
        seed=seed,
        drop_last=drop_last,
        uneven=uneven,
    )
    if rank == 0:
        _advise(dataset, asked, workers, uneven)
    return ShardLoader(dataset, workers, uneven, drop_last, prefetch, start_method, on_batch)


def _advise(dataset: ShardImages, asked: int, workers: int, uneven: str) -> None:
    """Warn where there are too few shards for the workers, or where they cannot be dealt out evenly."""
    shards, ranks = dataset.shards, dataset.ranks
    if workers < asked:
        text = _(
            "Shards: {shards}, ranks: {ranks}. Workers of each rank: {workers} instead of {asked}, since a worker without a "
            "shard has nothing to do. For all of them, the number of shards has to be a multiple of {due}."
        )
        warnings.warn(
            text.format(
                shards=len(shards.names), ranks=ranks, workers=workers, asked=asked, due=ranks * asked
            ),
            stacklevel=3,
        )
    total, plan = sum(shards.samples), dataset.plan(0)
    given = sum(shards.due(plan, rank, uneven) for rank in range(ranks))
    if len(shards.names) % ranks and abs(given - total) > MUCH * total:
        text = (
            _(
                "Shards: {shards}, ranks: {ranks}. So that all ranks have as many samples, {share} % of them come twice in "
                "each epoch. Write a number of shards that is a multiple of {ranks}."
            )
            if given > total
            else _(
                "Shards: {shards}, ranks: {ranks}. So that all ranks have as many samples, {share} % of them are left out in "
                "each epoch. Write a number of shards that is a multiple of {ranks}."
            )
        )
        share = number(100 * abs(given - total) / total)
        warnings.warn(text.format(shards=len(shards.names), ranks=ranks, share=share), stacklevel=3)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}.webdataset_loader",
        description=_(
            "Write the images of a folder into tar shards, and measure how fast batches come out of them."
        ),
        epilog=_("Without --folder it makes images of its own, in a temporary folder."),
    )
    shell.add_options(parser)
    add = parser.add_argument
    add(
        "--shards",
        metavar="FOLDER",
        help=_(
            "folder of the shards, kept and used again (default: a temporary one), or an address (https://, s3:// …) from which they are read"
        ),
    )
    add(
        "--count",
        type=shell.positive,
        help=_(
            "how many shards: a multiple of ranks × workers of the training (default: 64, and no more than images)"
        ),
    )
    add(
        "--workers",
        type=int,
        help=_("workers (default: as many as there are cores, and at most one for each shard)"),
    )
    add(
        "--buffer",
        type=int,
        default=256,
        help=_("samples in the buffer of each worker (default: %(default)s)"),
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return shell.run(arguments, run, argv)


def run(options: argparse.Namespace, scratch: Path) -> None:
    """Write, read, measure, and print what came of it."""
    out = options.shards or scratch / "shards"
    classes = look(options.classes).classes if options.classes else None
    if not is_address(out) and not Path(out).exists():
        folder = Path(options.folder) if options.folder else synthetic(scratch / "images", options.samples)
        problems = write(
            folder,
            out,
            options.count,
            classes=classes,
            shorter=options.store_size,
            seed=options.seed,
            strict=options.strict,
            report=left_out,
            processes=machine.cores(),
        )
        written = len(look(out).names)
        print(_("Shards: {n}. Left out: {out}.").format(n=number(written), out=number(len(problems))))
    elif options.folder:
        check_folder(out, options.folder, options.store_size, classes)
    batches = loader(
        out,
        options.batch_size,
        size=options.size,
        scale=shell.scale(options),
        workers=options.workers,
        decoder=options.decoder,
        buffer=options.buffer,
        seed=options.seed,
        strict=options.strict,
    )
    for epoch in range(options.epochs):
        begin, count = time.perf_counter(), 0
        for images, labels in batches:
            if options.device != "cpu":
                images = to_float(images, options.device)
            count += len(labels)
        print(
            _("Epoch {epoch}: images: {n}; {rate} images/s; repeated: {again}; left out: {out}").format(
                epoch=epoch,
                n=number(count),
                rate=number(count / (time.perf_counter() - begin)),
                again=number(batches.repeated),
                out=number(batches.left_out),
            )
        )


if __name__ == "__main__":
    sys.exit(main())

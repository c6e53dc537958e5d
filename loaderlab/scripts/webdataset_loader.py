"""Images from tar shards with webdataset: every sample in every epoch, a new order each time, and ranks in step.

- The order of the shards is drawn anew in each epoch, from (seed, epoch), the same on all ranks; then shards are dealt
  out to ranks (`nodesplitter`) and to workers (`workersplitter`). The epoch reaches persistent workers in shared memory.
- The samples were shuffled when the shards were written; the buffer (`shuffle`) mixes those of the shards that a worker
  reads. It is filled before it delivers (`initial`).
- `with_epoch` is not needed: the index beside the shards says how many steps the busiest rank has, and a rank that has
  fewer begins its shards again. What is repeated is counted.
- An image that cannot be decoded is named and counted, and left out of its batch. A damaged shard stops the program.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from . import decoders, machine, shell
from .decoders import View, fill
from .efficient_dataloader import accelerator, as_it_is, draws, empty, to_float
from .images import ImageError, synthetic
from .shards import Shards, check_folder, library, look, write
from .words import number
from .words import translate as _

WORKERS_MOST = 256


def every(source: Iterable[Any], first: int, step: int) -> Iterator[Any]:
    """The nodesplitter of a rank that was told which one it is."""
    return islice(source, first, None, step)


class ShardImages(IterableDataset):
    """Batches (uint8 [B, 3, size, size], int64 [B]) of this rank's shards, decoded where they will stay."""

    def __init__(
        self,
        shards: Shards,
        batch_size: int,
        size: int,
        buffer: int,
        rank: int,
        ranks: int,
        *,
        augment: bool,
        seed: int,
        decoder: str,
        strict: bool,
    ) -> None:
        self.shards, self.batch_size, self.size, self.buffer = shards, batch_size, size, buffer
        self.rank, self.ranks, self.augment, self.seed = rank, ranks, augment, seed
        self.decoder, self.strict = decoders.choose(decoder), strict
        self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()
        # Images left out so far, a place for each worker, so that no two write to the same.
        self.bad = torch.zeros(WORKERS_MOST, dtype=torch.int64).share_memory_()

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        wds, epoch = library(), int(self.epoch)
        worker = get_worker_info()
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.shards.names))
        addresses = self.shards.addresses
        stream = wds.WebDataset(
            [addresses[k] for k in order],
            shardshuffle=False,  # done above
            nodesplitter=partial(every, first=self.rank, step=self.ranks),
            workersplitter=wds.split_by_worker,
            empty_check=False,
        )
        if self.buffer > 1:
            mixed = int(np.random.default_rng([self.seed, epoch, worker.id if worker else 0]).integers(2**31))
            stream = stream.shuffle(self.buffer, initial=self.buffer, seed=mixed)
        samples = iter(stream)
        while group := list(islice(samples, self.batch_size)):
            images, labels = self._decoded(group, epoch, worker.id if worker else 0)
            if len(labels):
                yield images, labels

    def _decoded(
        self, group: list[dict[str, Any]], epoch: int, worker: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        batch = empty(len(group), self.size, self.size, 3)
        places, labels = batch.numpy(), []
        chances = draws(self.seed, epoch, np.array([int(sample["__key__"]) for sample in group])).tolist()
        for sample, (u, v, mirrored) in zip(group, chances, strict=True):
            view = View(self.size, self.size * 8 // 7, u, v, mirrored < 0.5)
            view = view if self.augment else View(self.size, self.size * 8 // 7)
            about = json.loads(sample["json"])
            try:
                fill(places[len(labels)], bytearray(sample["jpg"]), about, view, self.decoder)
            except (OSError, ValueError, SyntaxError) as error:
                text = f"{sample['__url__']}: {sample['__key__']}: {about['path']}: {error}"
                if self.strict:
                    raise ImageError(text) from error
                print(_("left out: {problem}").format(problem=text), file=sys.stderr, flush=True)
                self.bad[worker] += 1
                continue
            labels.append(int(sample["cls"]))
        return batch[: len(labels)].permute(0, 3, 1, 2), torch.tensor(labels, dtype=torch.int64)


class ShardLoader:
    """Iterating gives the batches of an epoch, as many on every rank. Each epoch is the next, unless `set_epoch` says which."""

    def __init__(
        self, dataset: ShardImages, workers: int, prefetch: int = 2, start_method: str | None = None
    ) -> None:
        self.dataset, self.workers, self.epoch = dataset, workers, 0
        self.repeated = 0  # batches of the last epoch that came again, to keep the ranks in step
        self.loader = DataLoader(
            dataset,
            batch_size=None,  # the batches are made already
            collate_fn=as_it_is,
            num_workers=workers,
            pin_memory=accelerator(),
            persistent_workers=workers > 0,
            prefetch_factor=prefetch if workers else None,
            multiprocessing_context=start_method if workers else None,
        )

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    @property
    def left_out(self) -> int:
        """Images that could not be decoded so far, in all epochs."""
        return int(self.dataset.bad.sum())

    def __len__(self) -> int:
        """Batches of the next epoch, on every rank; with shards of different sizes, epochs may differ by a few."""
        data = self.dataset
        return data.shards.steps(data.seed, self.epoch, data.ranks, self.workers, data.batch_size)

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        steps, epoch = len(self), self.epoch
        self.epoch, self.repeated, done = epoch + 1, 0, 0
        self.dataset.epoch.fill_(epoch)
        own = None
        while done < steps:
            before = done
            for batch in self.loader:
                yield batch
                done += 1
                self.repeated += own is not None
                if done == steps:
                    return
            own = done
            if done == before:
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
    augment: bool = True,
    seed: int = 0,
    rank: int | None = None,
    ranks: int | None = None,
    strict: bool = False,
    prefetch: int = 2,
    start_method: str | None = None,
) -> ShardLoader:
    """Batches (uint8 [B, 3, size, size], int64 [B]) of a folder of shards. Rank and ranks are those of torchrun, if not given."""
    shards = look(folder)
    rank = int(os.environ.get("RANK", 0)) if rank is None else rank
    ranks = int(os.environ.get("WORLD_SIZE", 1)) if ranks is None else ranks
    if len(shards.names) < ranks:
        raise ImageError(
            _("Shards: {shards}, ranks: {ranks}. Every rank needs one: write more shards.").format(
                shards=len(shards.names), ranks=ranks
            )
        )
    # A worker without a shard would have nothing to do.
    most = min(len(shards.names) // ranks, WORKERS_MOST)
    workers = min(machine.cores() if workers is None else workers, most)
    dataset = ShardImages(
        shards,
        batch_size,
        size,
        buffer,
        rank,
        ranks,
        augment=augment,
        seed=seed,
        decoder=decoder,
        strict=strict,
    )
    return ShardLoader(dataset, workers, prefetch, start_method)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m loaderlab.scripts.webdataset_loader",
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
        help=_("folder of the shards (default: a temporary one); it is kept and used again"),
    )
    add(
        "--count",
        type=int,
        default=8,
        help=_("how many shards: a multiple of ranks × workers (default: %(default)s)"),
    )
    add("--workers", type=int, help=_("workers (default: as many as there are cores)"))
    add(
        "--buffer",
        type=int,
        default=256,
        help=_("samples in the buffer of each worker (default: %(default)s)"),
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return shell.run(arguments, run, argv)


def run(options: argparse.Namespace, scratch: Path) -> None:
    """Write, read, measure, and print what came of it."""
    out = Path(options.shards) if options.shards else scratch / "shards"
    if not out.exists():
        folder = Path(options.folder) if options.folder else synthetic(scratch / "images", options.samples)
        problems = write(
            folder,
            out,
            options.count,
            shorter=options.store_size,
            seed=options.seed,
            strict=options.strict,
            report=shell.left_out,
        )
        print(_("Shards: {n}. Left out: {out}.").format(n=number(options.count), out=number(len(problems))))
    elif options.folder:
        check_folder(out, options.folder, options.store_size)
    batches = loader(
        out,
        options.batch_size,
        size=options.size,
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
            _(
                "Epoch {epoch}: images: {n}; {rate} images/s; repeated batches: {again}; left out: {out}"
            ).format(
                epoch=epoch,
                n=number(count),
                rate=number(count / (time.perf_counter() - begin)),
                again=number(batches.repeated),
                out=number(batches.left_out),
            )
        )


if __name__ == "__main__":
    sys.exit(main())

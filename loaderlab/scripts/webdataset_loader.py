"""Images from tar shards with webdataset: every sample in every epoch, a new order each time, and ranks in step.

- The order of the shards is drawn anew in each epoch, from (seed, epoch), the same on all ranks; then shards are dealt
  out to ranks and to workers. The epoch reaches persistent workers in shared memory.
- The samples were shuffled when the shards were written; the buffer (`shuffle`) mixes those of the shards that a worker
  reads. It is filled before it delivers (`initial`).
- `with_epoch` is not needed: the index beside the shards says how many samples the busiest rank has, and a rank that has
  fewer begins its shards again. What is repeated is counted. This does not depend on the workers, so hosts may have
  other numbers of cores; what the workers' last batches lack is put together, so all ranks have batches of one size.
- An image that cannot be decoded is named and counted, and another one of its batch comes instead; in an evaluation it is
  left out. A damaged shard stops the program.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from . import loader_options, machine, shell
from .arguments import whole
from .augmentation import Augmentation
from .distributed_sampler import remainder
from .efficient_dataloader import accelerator, to_float
from .images import ImageError, left_out, synthetic
from .ranks import compared, place, told
from .shard_images import ShardImages
from .shard_loader import ShardLoader
from .shard_plan import Setting
from .shards import check_folder, look, write
from .storage import is_address
from .words import number
from .words import translate as _

MUCH = 0.05  # samples of an epoch that come twice or not at all, from which on it is said


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
    whole(batch_size=batch_size, prefetch=prefetch)
    whole(0, buffer=buffer, seed=seed)
    whole(0, or_none=True, workers=workers)
    # A state is JSON, and NumPy's numbers are none.
    batch_size, buffer, seed = int(batch_size), int(buffer), int(seed)
    shards = look(folder, storage_options)
    rank, ranks = place(rank, ranks, group)
    uneven = remainder(uneven, evaluation=not (shuffle or augment))
    if len(shards.names) < ranks and uneven != "once":
        text = _("Shards: {shards}, ranks: {ranks}. Every rank needs one: write more shards.")
        raise ImageError(text.format(shards=len(shards.names), ranks=ranks))
    facts = {
        "shards": len(shards.names),
        "images": sum(shards.samples),
        "batch_size": batch_size,
        "shuffle": shuffle,
        "seed": seed,
        "drop_last": drop_last,
        "uneven": uneven,
    }
    everyone = compared(facts, group, pools=machine.pools())
    pools = [one["pools"] for one in everyone]
    asked = machine.workers(accelerator(), pools) if workers is None else workers
    workers = min(asked, max(1, len(shards.names) // ranks))  # one without a shard would have nothing to do
    each = told(max(1, workers), group)  # hosts may have other numbers of cores
    dataset = ShardImages(
        shards,
        Setting(batch_size, buffer, tuple(each if len(each) == ranks else each * ranks)),
        Augmentation(size, least or 0, augment, seed, scale, ratio, interpolation, transform),
        rank,
        shuffle=shuffle,
        uneven=uneven,
        drop_last=drop_last,
        decoder=decoder,
        strict=strict,
    )
    if rank == 0:
        _advise(dataset, asked, workers)
    return ShardLoader(dataset, workers, prefetch, start_method, on_batch)


def _advise(dataset: ShardImages, asked: int, workers: int) -> None:
    """Warn where there are too few shards for the workers, or where they cannot be dealt out evenly."""
    shards, ranks, uneven = dataset.shards, dataset.ranks, dataset.uneven
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
    total, plan = sum(shards.samples), shards.dealt(dataset.seen.seed, 0, ranks, dataset.shuffle)
    given = sum(shards.due(plan, rank, uneven) for rank in range(ranks))
    if len(shards.names) % ranks and abs(given - total) > MUCH * total:
        text = (
            _(
                "Shards: {shards}, ranks: {ranks}. So that all ranks have the same number of samples, {share} % of the samples "
                "come twice in each epoch. Write a number of shards that is a multiple of {ranks}."
            )
            if given > total
            else _(
                "Shards: {shards}, ranks: {ranks}. So that all ranks have the same number of samples, {share} % of the samples "
                "are left out in each epoch. Write a number of shards that is a multiple of {ranks}."
            )
        )
        share = number(100 * abs(given - total) / total)
        warnings.warn(text.format(shards=len(shards.names), ranks=ranks, share=share), stacklevel=3)


def arguments() -> argparse.ArgumentParser:
    description = _(
        "Write the images of a folder into tar shards, and measure how fast batches come out of them."
    )
    parser = loader_options.parser(__package__, __file__, description)
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
    if options.part:
        loader_options.write_part(options, options.shards, "--shards", classes)
        return
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
            parts=options.parts,
        )
        written = len(look(out).names)
        print(_("Shards: {n}. Left out: {out}.").format(n=number(written), out=number(len(problems))))
    elif options.folder:
        check_folder(out, options.folder, options.store_size, classes)
    batches = loader(
        out,
        options.batch_size,
        size=options.size,
        scale=loader_options.scale(options),
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

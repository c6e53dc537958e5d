"""Which rank sees which sample: samplers for map-style datasets under DistributedDataParallel.

`EvenSampler` deals out single samples, `BucketSampler` whole batches of samples of similar length. On every rank they
give as many batches; all ranks together see every sample in every epoch, or the number that is left out or repeated is
there to be read. Every rank computes the whole plan from (seed, epoch) and takes its part: no rank talks to another.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.data import Sampler

from .images import ImageError, Problem, find, nothing_left, reason
from .words import number, speak
from .words import translate as _


def _check(length: int, ranks: int, rank: int) -> None:
    if length < 1:
        raise ValueError(_("There is no sample to share out."))
    if not 0 <= rank < ranks:
        raise ValueError(_("There is no rank {rank} among {ranks}.").format(rank=rank, ranks=ranks))


def _order(length: int, seed: int, epoch: int) -> np.ndarray:
    return np.random.default_rng([seed, epoch]).permutation(length)


class EvenSampler(Sampler[int]):
    """The indices of one rank: the same number on every rank, in a new order each epoch.

    ``uneven`` says what becomes of the remainder: with "pad" every sample is seen, and ``padding`` of them twice; with
    "drop" so many are left out (``padding`` is negative), others in each epoch.

    Each epoch is the one after the last, unless ``set_epoch`` or ``resume_at`` says which.
    """

    def __init__(
        self,
        length: int,
        ranks: int = 1,
        rank: int = 0,
        *,
        shuffle: bool = True,
        uneven: str = "pad",
        seed: int = 0,
    ) -> None:
        _check(length, ranks, rank)
        if uneven not in ("pad", "drop"):
            raise ValueError(_("`uneven` is `pad` or `drop`, not {value!r}.").format(value=uneven))
        if uneven == "drop" and length < ranks:
            raise ValueError(_("With fewer samples than ranks, `drop` leaves nothing: use `pad`."))
        self.length, self.ranks, self.rank = length, ranks, rank
        self.shuffle, self.uneven, self.seed = shuffle, uneven, seed
        self.epoch = self._skip = 0

    def set_epoch(self, epoch: int) -> None:
        """The next epoch is this one, from its beginning."""
        self.epoch, self._skip = epoch, 0

    def resume_at(self, steps: int, batch_size: int, drop_last: bool = False) -> None:
        """Continue where training stands after so many steps in all, counted from the first one of epoch 0."""
        in_epoch = len(self) // batch_size if drop_last else -(-len(self) // batch_size)
        self.epoch, done = divmod(steps, max(1, in_epoch))
        self._skip = done * batch_size

    def __len__(self) -> int:
        """Samples of each rank in a whole epoch."""
        return self.length // self.ranks if self.uneven == "drop" else -(-self.length // self.ranks)

    @property
    def padding(self) -> int:
        """How many samples come once more in an epoch, on all ranks together; negative: how many are left out."""
        return len(self) * self.ranks - self.length

    def __iter__(self) -> Iterator[int]:
        epoch, skip = self.epoch, self._skip
        self.epoch, self._skip = epoch + 1, 0
        order = _order(self.length, self.seed, epoch) if self.shuffle else np.arange(self.length)
        order = np.resize(order, len(self) * self.ranks)  # begins again where it is too short
        yield from order[self.rank :: self.ranks][skip:].tolist()


class BucketSampler(Sampler[list[int]]):
    """Batches for one rank, as `DataLoader(batch_sampler=…)`: the samples of a step, on all ranks, have similar lengths.

    All ranks wait for the one with the longest batch, so similar lengths in a step are what counts. ``pool`` steps are
    sorted together: more of them mean less padding in the batches and less chance in them.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: int,
        ranks: int = 1,
        rank: int = 0,
        *,
        pool: int = 16,
        seed: int = 0,
    ) -> None:
        _check(len(lengths), ranks, rank)
        self.lengths, self.batch_size = np.asarray(lengths), batch_size
        self.ranks, self.rank, self.pool, self.seed = ranks, rank, pool, seed
        self.epoch = self._skip = 0

    def set_epoch(self, epoch: int) -> None:
        """The next epoch is this one, from its beginning."""
        self.epoch, self._skip = epoch, 0

    def resume_at(self, steps: int) -> None:
        """Continue where training stands after so many steps in all, counted from the first one of epoch 0."""
        self.epoch, self._skip = divmod(steps, len(self))

    def __len__(self) -> int:
        """Batches of each rank in a whole epoch: the fewest with which every sample is seen."""
        return -(-len(self.lengths) // (self.batch_size * self.ranks))

    @property
    def padding(self) -> int:
        """How many samples come once more in an epoch, on all ranks together."""
        return len(self) * self.batch_size * self.ranks - len(self.lengths)

    def __iter__(self) -> Iterator[list[int]]:
        epoch, skip = self.epoch, self._skip
        self.epoch, self._skip = epoch + 1, 0
        step = self.batch_size * self.ranks
        order = np.resize(_order(len(self.lengths), self.seed, epoch), len(self) * step)
        for begin in range(0, len(order), self.pool * step):
            pool = order[begin : begin + self.pool * step]
            order[begin : begin + len(pool)] = pool[np.argsort(self.lengths[pool], kind="stable")]
        steps = order.reshape(len(self), self.ranks, self.batch_size)[:, self.rank]
        # One more number in the seed: short and long steps in an order that has nothing to do with the samples'.
        mixed = np.random.default_rng([self.seed, epoch, 1]).permutation(len(self))
        yield from (steps[k].tolist() for k in mixed[skip:])


def filled(batches: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """The share of padding in batches that are filled up to their longest sample, from 0 to 1."""
    longest = sum(max(lengths[i] for i in batch) * len(batch) for batch in batches)
    return 1 - sum(lengths[i] for batch in batches for i in batch) / longest


def image_lengths(folder: str | Path, strict: bool = False) -> tuple[list[int], list[Problem]]:
    """Pixels of each image in a folder, from its head only; and the files that have none, each with the reason."""
    from PIL import Image

    found = find(folder)
    lengths, problems = [], list(found.problems)
    for path, _label in found.images:
        try:
            with Image.open(path) as image:
                lengths.append(image.width * image.height)
        except Exception as error:  # noqa: BLE001 (what Pillow raises depends on the format and the damage)
            problems.append(Problem(path, reason(error)))
    if strict and problems:
        raise ImageError(str(problems[0]))
    if not lengths:
        raise nothing_left(folder, problems)
    return lengths, problems


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m loaderlab.scripts.distributed_sampler",
        description=_("Show what each rank sees of a dataset: samples, steps, repetitions, padding."),
        epilog=_(
            "Alone it computes the plan of every rank. Under `python -m torch.distributed.run --standalone "
            "--nproc-per-node=2 -m loaderlab.scripts.distributed_sampler` each rank computes its own."
        ),
    )
    add = parser.add_argument
    add(
        "--folder",
        help=_("folder with images, whose pixels are the lengths; without it, lengths made at random"),
    )
    add(
        "--samples",
        type=int,
        default=1003,
        help=_("samples, where there is no folder (default: %(default)s)"),
    )
    add("--ranks", type=int, default=4, help=_("ranks, where they are simulated (default: %(default)s)"))
    add("--batch-size", type=int, default=16, help=_("samples in a batch (default: %(default)s)"))
    add("--epochs", type=int, default=2, help=_("epochs to look at (default: %(default)s)"))
    add(
        "--uneven",
        default="pad",
        choices=("pad", "drop"),
        help=_("repeat samples, or leave some out (default: %(default)s)"),
    )
    add("--seed", type=int, default=0, help=_("seed of the order (default: %(default)s)"))
    add(
        "--strict",
        action="store_true",
        help=_("stop at the first file that cannot be used, instead of leaving it out"),
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    speak()
    options = arguments().parse_args(argv)
    launched = "WORLD_SIZE" in os.environ and "RANK" in os.environ
    rank = int(os.environ["RANK"]) if launched else 0
    try:
        if options.folder:
            lengths, problems = image_lengths(options.folder, options.strict)
            for problem in problems if rank == 0 else ():
                print(_("left out: {problem}").format(problem=problem), file=sys.stderr)
        else:
            lengths = np.random.default_rng(options.seed).integers(20, 400, options.samples).tolist()
        if launched:
            _together(options, lengths, rank)
        else:
            plans = [_plan(options, lengths, options.ranks, rank) for rank in range(options.ranks)]
            _report(options, lengths, plans)
    except (ImageError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _plan(options: argparse.Namespace, lengths: list[int], ranks: int, rank: int) -> dict[str, Any]:
    """What both samplers give to one rank: the indices, and the batches, of each epoch."""
    even = EvenSampler(len(lengths), ranks, rank, uneven=options.uneven, seed=options.seed)
    buckets = BucketSampler(lengths, options.batch_size, ranks, rank, seed=options.seed)
    epochs = range(options.epochs)
    return {"even": [list(even) for _e in epochs], "buckets": [list(buckets) for _e in epochs]}


def _together(options: argparse.Namespace, lengths: list[int], rank: int) -> None:
    """Under torchrun: each rank computes its own plan, and rank 0 looks at all of them."""
    import torch.distributed as dist

    dist.init_process_group("gloo")
    try:
        plans: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(plans, _plan(options, lengths, len(plans), rank))
        if rank == 0:
            _report(options, lengths, plans)
        dist.barrier()
    finally:
        dist.destroy_process_group()


def _report(options: argparse.Namespace, lengths: list[int], plans: list[dict[str, Any]]) -> None:
    ranks, size = len(plans), options.batch_size
    print(
        _("Samples: {n}; ranks: {ranks}; samples in a batch: {size}").format(
            n=len(lengths), ranks=ranks, size=size
        )
    )
    line = _(
        "{sampler}, epoch {epoch}: samples of each rank: {each}; steps: {steps}; repeated: {again}; left out: {out}"
    )
    for name, key in (("EvenSampler", "even"), ("BucketSampler", "buckets")):
        for epoch in range(options.epochs):
            parts = [plan[key][epoch] for plan in plans]
            batches = [_batches(part, size) if key == "even" else part for part in parts]
            seen = Counter(index for rank in batches for batch in rank for index in batch)
            print(
                line.format(
                    sampler=name,
                    epoch=epoch,
                    each=sorted({sum(map(len, rank)) for rank in batches}),
                    steps=sorted({len(rank) for rank in batches}),
                    again=sum(seen.values()) - len(seen),
                    out=len(lengths) - len(seen),
                )
            )
        share = filled([batch for rank in batches for batch in rank], lengths)
        text = _("{sampler}: padding, if every batch is filled up to its longest sample: {share} %")
        print(text.format(sampler=name, share=number(100 * share, 1)))


def _batches(indices: list[int], size: int) -> list[list[int]]:
    return [indices[k : k + size] for k in range(0, len(indices), size)]


if __name__ == "__main__":
    sys.exit(main())

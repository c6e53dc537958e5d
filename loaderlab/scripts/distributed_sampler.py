"""Samplers for map-style datasets under DistributedDataParallel: which rank sees which sample.

`EvenSampler` deals out single samples, `BucketSampler` whole batches of samples of similar length. On every rank they
give as many batches; all ranks together see every sample in every epoch, or the number that is left out or repeated is
there to be read. For an evaluation, `EvenSampler(…, uneven="once")` shows every sample once. Every rank computes the whole
plan from (seed, epoch) and takes its part: no rank talks to another.

Both have `state_dict` and `load_state_dict`, and continue within an epoch, with other numbers of ranks too. The state
counts what the sampler has handed out. That is what the training has seen only where nothing is loaded ahead: a
`DataLoader` with workers asks for batches long before they are used. So save torchdata's `StatefulDataLoader`, which
keeps the sampler's state of the batch that it gave last, or count the steps (`resume_at`).
"""

from __future__ import annotations

import argparse
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.data import Sampler

from . import shell
from .arguments import whole
from .epochs import EpochIterator, Epochs, compare, expect
from .images import ImageError, Problem, find, left_out, nothing_left, reason
from .ranks import place
from .words import number
from .words import translate as _

Done = tuple[int, int, int]  # so many steps were made, by so many ranks, with batches of such a size


def _order(length: int, seed: int, epoch: int) -> np.ndarray:
    return np.random.default_rng([seed, epoch]).permutation(length)


def remainder(uneven: str | None, evaluation: bool = False) -> str:
    """``uneven`` as it was given, else "pad", and "once" for an evaluation. Raises ValueError for another word."""
    if uneven not in (None, "pad", "drop", "once"):
        raise ValueError(_("`uneven` is `pad`, `drop` or `once`, not {value!r}.").format(value=uneven))
    return uneven or ("once" if evaluation else "pad")


class EvenSampler(Epochs, Sampler[int]):
    """The indices of one rank: the same number on every rank, in a new order each epoch.

    ``uneven`` says what becomes of the remainder: with "pad" every sample is seen, and some come again until all ranks have as
    many (``padding`` in all); with "drop" so many are left out (``padding`` is negative), others in each epoch. For an evaluation there is "once": every
    sample once, so some ranks have one more than others, and no rank may wait for another at each step.

    Rank and ranks, if not given, are those of the process group or of torchrun (`ranks.place`). Each epoch is the one
    after the last that was seen to its end, unless ``set_epoch``, ``resume_at`` or ``load_state_dict`` says which.
    """

    def __init__(
        self,
        length: int,
        ranks: int | None = None,
        rank: int | None = None,
        *,
        shuffle: bool = True,
        uneven: str = "pad",
        seed: int = 0,
        group: Any = None,
    ) -> None:
        whole(0, seed=seed)
        self.rank, self.ranks = place(rank, ranks, group)
        if length < 1:
            raise ValueError(_("There is no sample to share out."))
        uneven = remainder(uneven)
        if uneven == "drop" and length < self.ranks:
            raise ValueError(_("With fewer samples than ranks, `drop` leaves nothing: use `pad`."))
        self.length, self.shuffle, self.uneven, self.seed = length, shuffle, uneven, seed
        super().__init__(shuffle)

    def _go_to(self, epoch: int) -> None:
        super()._go_to(epoch)
        self.done = 0  # samples of it that were seen, by all ranks together, before the next loop

    def resume(self, epoch: int, done: int) -> None:
        """Continue in an epoch of which all ranks together have seen so many samples, however many ranks that were.

        What is left is dealt out to the ranks of today. The training saves ``done`` (batch size × ranks × steps of the
        epoch so far), and can be stopped and continued as often as wanted.
        """
        self._go_to(epoch + (done >= self.length))
        self.done = done if done < self.length else 0
        self._resumed = self.done > 0

    def resume_at(
        self, steps: int, batch_size: int, drop_last: bool = False, ranks: int | None = None
    ) -> None:
        """Continue where training stands after so many steps in all, counted from the first one of epoch 0.

        ``ranks`` is how many there were until now, where that was another number.
        """
        ranks = self.ranks if ranks is None else ranks
        each = self._share(self.length, 0, ranks)
        in_epoch = each // batch_size if drop_last else -(-each // batch_size)
        epoch, done = divmod(steps, max(1, in_epoch))
        self.resume(epoch, done * batch_size * ranks)

    def state_dict(self) -> dict[str, Any]:
        """Return where the latest loop over this sampler stands: plain numbers, the same on all ranks after the same step."""
        return {"epoch": self.epoch, "done": self.done + self.handed * self.ranks, **self._plan()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue there, with as many ranks as there are today. Raises ValueError for a state of other samples or seed."""
        compare(state, **self._plan())
        self.resume(state["epoch"], state["done"])
        self._loaded = True

    def _plan(self) -> dict[str, Any]:
        """Return what the order of the samples depends on, besides the epoch."""
        return {"length": self.length, "shuffle": self.shuffle, "seed": self.seed}

    def _share(self, samples: int, rank: int, ranks: int) -> int:
        """Return how many of so many samples are this rank's."""
        if self.uneven == "once":
            return len(range(rank, samples, ranks))
        return samples // ranks if self.uneven == "drop" else -(-samples // ranks)

    def __len__(self) -> int:
        """Return samples of this rank in the next epoch: after `resume` and `resume_at` what is `left`, else those of the whole."""
        return self._share(self.length, self.rank, self.ranks) if self._loaded else self.left

    @property
    def left(self) -> int:
        """Samples of this rank that the next loop gives."""
        return self._share(self.length - self.done, self.rank, self.ranks)

    @property
    def padding(self) -> int:
        """The number of samples that come once more in a whole epoch, on all ranks together; negative: how many are left out."""
        each = self._share(self.length, self.rank, self.ranks)
        return 0 if self.uneven == "once" else each * self.ranks - self.length

    def indices(self) -> list[int]:
        """Return the indices of this rank in the next epoch. To look at them moves nothing."""
        order = _order(self.length, self.seed, self.epoch) if self.shuffle else np.arange(self.length)
        if self.uneven != "once":
            order = np.resize(order, self.done + self.left * self.ranks)  # begins again where it is too short
        return order[self.done :][self.rank :: self.ranks].tolist()

    def __iter__(self) -> Iterator[int]:
        return EpochIterator(self, self.indices)


class BucketSampler(Epochs, Sampler[list[int]]):
    """Batches for one rank, as `DataLoader(batch_sampler=…)`: the samples of a step, on all ranks, have similar lengths.

    All ranks wait for the one with the longest batch, so similar lengths in a step are what counts. ``pool`` steps are
    sorted together: more of them mean less padding in the batches and less chance in them. Which rank has the longest
    samples of a step is drawn anew for each step.

    Rank and ranks, if not given, are those of the process group or of torchrun (`ranks.place`).
    """

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: int,
        ranks: int | None = None,
        rank: int | None = None,
        *,
        pool: int = 16,
        seed: int = 0,
        group: Any = None,
    ) -> None:
        whole(batch_size=batch_size, pool=pool)
        whole(0, seed=seed)
        self.rank, self.ranks = place(rank, ranks, group)
        if not len(lengths):
            raise ValueError(_("There is no sample to share out."))
        self.lengths, self.batch_size = np.asarray(lengths), batch_size
        self.pool, self.seed = pool, seed
        super().__init__()

    def _go_to(self, epoch: int) -> None:
        super()._go_to(epoch)
        self.done: tuple[Done, ...] = ()
        self._left: int | None = None  # batches of this rank, where some were made already

    def resume(self, epoch: int, *done: tuple[int, int] | Done) -> None:
        """Continue in an epoch after so many (steps, ranks): first so many steps by so many ranks, then the next pair.

        What is left is dealt out to the ranks of today; where nothing is, the next epoch comes. Where the batch size was
        another one: (steps, ranks, batch size). Raises ValueError where there are not so many steps.
        """
        self._go_to(epoch)
        full = [(*part, self.batch_size)[:3] for part in done]
        self.done = tuple((steps, ranks, size) for steps, ranks, size in full if steps)
        try:
            self._left = len(self.batches())
        except ValueError:
            self._go_to(epoch)
            raise
        if not self._left:
            self._go_to(epoch + 1)
        self._resumed = bool(self.done)

    def resume_at(self, steps: int, ranks: int | None = None, batch_size: int | None = None) -> None:
        """Continue where training stands after so many steps in all, counted from the first one of epoch 0.

        ``ranks`` and ``batch_size`` are those until now, where they were others.
        """
        ranks, size = ranks or self.ranks, batch_size or self.batch_size
        epoch, done = divmod(steps, self._steps(len(self.lengths), ranks, size))
        self.resume(epoch, (done, ranks, size))

    def state_dict(self) -> dict[str, Any]:
        """Return where the latest loop over this sampler stands: plain numbers, the same on all ranks after the same step."""
        *before, now = self._parts()
        done = [*before, (now[0] + self.handed, *now[1:])]
        return {"epoch": self.epoch, "done": [list(part) for part in done], **self._data()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue there, with the ranks and the batch size of today. Raises ValueError for a state of other samples."""
        compare(state, **self._data())
        self.resume(state["epoch"], *((steps, ranks, size) for steps, ranks, size in state["done"]))
        self._loaded = True

    def _data(self) -> dict[str, Any]:
        """Return what the plan depends on, besides the epoch, the ranks and the batch size; of the lengths a checksum."""
        lengths = zlib.crc32(self.lengths.astype(np.int64).tobytes())
        return {"length": len(self.lengths), "lengths": lengths, "pool": self.pool, "seed": self.seed}

    @staticmethod
    def _steps(samples: int, ranks: int, size: int) -> int:
        """Return the fewest steps with which every sample is seen."""
        return -(-samples // (size * ranks))

    @property
    def _whole(self) -> int:
        return self._steps(len(self.lengths), self.ranks, self.batch_size)

    def __len__(self) -> int:
        """Return batches of each rank in the next epoch: after `resume` and `resume_at` what is `left`, else those of the whole."""
        return self._whole if self._loaded else self.left

    @property
    def left(self) -> int:
        """Batches of each rank that the next loop gives."""
        return self._whole if self._left is None else self._left

    @property
    def padding(self) -> int:
        """The number of samples that come once more in a whole epoch, on all ranks together."""
        return self._whole * self.batch_size * self.ranks - len(self.lengths)

    def _plan(self, order: np.ndarray, ranks: int, size: int) -> np.ndarray:
        """Return these samples as steps [steps, ranks, batch size]."""
        count, step = self._steps(len(order), ranks, size), size * ranks
        order = np.resize(order, count * step)
        for begin in range(0, len(order), self.pool * step):
            pool = order[begin : begin + self.pool * step]
            order[begin : begin + len(pool)] = pool[np.argsort(self.lengths[pool], kind="stable")]
        # One more number in the seed: short and long steps in an order that has nothing to do with the samples'.
        rng = np.random.default_rng([self.seed, self.epoch, 1])
        mixed = rng.permutation(count)
        turns = rng.random((count, ranks)).argsort(axis=1)
        return order.reshape(count, ranks, size)[mixed[:, None], turns]

    def batches(self) -> list[list[int]]:
        """Return the batches of this rank in the next epoch. To look at them moves nothing."""
        order = _order(len(self.lengths), self.seed, self.epoch)
        for steps, ranks, size in self._parts():
            plan = self._plan(order, ranks, size)
            expect(steps, len(plan), ranks, size)
            order = order[~np.isin(order, plan[:steps])]
        return plan[steps:, self.rank].tolist()

    def _parts(self) -> tuple[Done, ...]:
        """Return the parts that were done, the last one by the ranks of today, perhaps nothing yet."""
        today = (self.ranks, self.batch_size)
        return self.done if self.done and self.done[-1][1:] == today else (*self.done, (0, *today))

    def __iter__(self) -> Iterator[list[int]]:
        return EpochIterator(self, self.batches)


def filled(batches: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """Return the share of padding in batches that are filled up to their longest sample, from 0 to 1."""
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
        prog=f"python {shell.called(__package__, __file__)}",
        description=_("Show what each rank sees of a dataset: samples, steps, repetitions, padding."),
        epilog=_(
            "Run alone, this script computes the plan of every rank. Under `python -m torch.distributed.run --standalone "
            "--nproc-per-node=2 {script}` each rank computes its own plan."
        ).format(script=shell.called(__package__, __file__)),
    )
    add = parser.add_argument
    add(
        "--folder",
        help=_(
            "folder with images; a sample's length is its number of pixels; without a folder, the lengths are random"
        ),
    )
    add(
        "--samples",
        type=shell.positive,
        default=1003,
        help=_("samples, where there is no folder (default: %(default)s)"),
    )
    add(
        "--ranks",
        type=shell.positive,
        default=4,
        help=_("ranks, where they are simulated (default: %(default)s)"),
    )
    add("--batch-size", type=shell.positive, default=16, help=_("samples in a batch (default: %(default)s)"))
    add("--epochs", type=int, default=2, help=_("epochs to look at (default: %(default)s)"))
    add(
        "--uneven",
        default="pad",
        choices=("pad", "drop", "once"),
        help=_(
            "EvenSampler: repeat samples, leave some out, or each once, as in an evaluation (default: %(default)s)"
        ),
    )
    add("--seed", type=int, default=0, help=_("seed of the order (default: %(default)s)"))
    add(
        "--strict",
        action="store_true",
        help=_("stop at the first file that cannot be used, instead of leaving it out"),
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Return the command line; returns the exit status."""
    return shell.run(arguments, run, argv)


def run(options: argparse.Namespace, _scratch: Path) -> None:
    """Compute what each rank sees, and print it."""
    launched = "WORLD_SIZE" in os.environ and "RANK" in os.environ
    rank = int(os.environ["RANK"]) if launched else 0
    if options.folder:
        lengths, problems = image_lengths(options.folder, options.strict)
        for problem in problems if rank == 0 else ():
            left_out(problem)
    else:
        lengths = np.random.default_rng(options.seed).integers(20, 400, options.samples).tolist()
    try:
        if launched:
            _together(options, lengths, rank)
        else:
            _report(
                options, lengths, [_plan(options, lengths, options.ranks, r) for r in range(options.ranks)]
            )
    except ValueError as error:  # the samplers say what they cannot do
        raise ImageError(str(error)) from error


def _plan(options: argparse.Namespace, lengths: list[int], ranks: int, rank: int) -> dict[str, Any]:
    """Return what both samplers give to one rank: the indices, and the batches, of each epoch."""
    even = EvenSampler(len(lengths), ranks, rank, uneven=options.uneven, seed=options.seed)
    buckets = BucketSampler(lengths, options.batch_size, ranks, rank, seed=options.seed)
    epochs = range(options.epochs)
    return {"even": [list(even) for _e in epochs], "buckets": [list(buckets) for _e in epochs]}


def _together(options: argparse.Namespace, lengths: list[int], rank: int) -> None:
    """Under torchrun: each rank computes its own plan, and rank 0 looks at all of them."""
    import torch.distributed as dist

    # A rank that has died is not waited for any longer.
    dist.init_process_group("gloo", timeout=timedelta(minutes=2))
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
    text = _("Samples: {n}; ranks: {ranks}; samples in a batch: {size}")
    print(text.format(n=len(lengths), ranks=ranks, size=size))
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

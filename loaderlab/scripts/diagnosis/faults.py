"""Faults of a loader that is not only slow: random numbers, order, ranks, samples that are lost or come twice.

Only what the loader itself shows is said. Not seen are: whether the loop calls ``set_epoch`` (unless its program is given);
a seed that is set in each epoch by the loop; seeds that are the same on all ranks; how an iterable dataset shares its
samples among ranks; and whether a loader that does not shuffle should.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset

from ..ranks import place
from ..words import number
from ..words import translate as _
from .clone import draws_given_back, loader_in
from .finding import Finding, Row, after_own, name_of
from .isolated import isolated
from .kinds import fault
from .orders import EpochIndices, Order, epoch_of, groups, on_purpose, shared_out
from .randomness import OF_THE_PROCESS, Draws, draws, held
from .streaming import of_stream

# Who calls `set_epoch` without the program saying so.
CALLERS = re.compile(r"set_epoch|\b(accelerate|lightning|pytorch_lightning|transformers|ignite|composer)\b")
_SEEDED = {
    np.random.Generator: "np.random.default_rng(info.seed)",
    np.random.RandomState: "np.random.RandomState(info.seed % 2**32)",
    random.Random: "random.Random(info.seed)",
    torch.Generator: "torch.Generator().manual_seed(info.seed)",
}


def faults(
    batches: Any, seconds: float = 30.0, program: str | None = None, trains: bool = False
) -> list[Finding]:
    """Return findings about what is wrong, the certain ones first; none where nothing is, or where nothing can be known.

    ``program`` is the text of the script that uses the loader, if there is one: where it trains, it shows whether somebody
    calls ``set_epoch``. ``trains``: the step with which the loader is used was seen to train.
    The experiments run in a copy of this process (`isolated`) and are stopped after so many seconds, all together; what
    could not be looked at in that time is not spoken of. An iterable that is no DataLoader is left alone.
    """
    loader = loader_in(batches)
    if loader is None:
        return []
    end = time.monotonic() + seconds
    if isinstance(loader.dataset, IterableDataset):
        found = of_stream(loader, end) + _of_draws(loader, end, training=False)
    else:
        epochs = _epochs(loader, end)
        first = epochs[0] if epochs else None
        # These call `set_epoch`, and may put another sampler into the loader.
        cared_for = CALLERS.search(program or "") is not None
        known = "backward(" in (program or "")
        found = _of_order(loader, epochs, cared_for, known)
        found += _of_batches(loader, epochs, trains or not groups(loader))
        found += _of_ranks(loader, end, None if cared_for else first, known)
        found += _of_draws(loader, end, training=first is not None and first.shuffled)
    return sorted(found, key=lambda finding: not finding.certain)


def _epochs(loader: DataLoader, end: float) -> list[EpochIndices]:
    """Return two epochs one after another, and where they are the same, one after `set_epoch`, if there is such a thing."""

    def look() -> Iterator[EpochIndices]:
        with draws_given_back():
            order = Order(loader)
            first = order.epoch()
            yield first
            if (
                order.by_itself and first.whole
            ):  # else it is the loader that begins another epoch, and not the sampler
                second = order.epoch()
                yield second
                if first.indices == second.indices and order.set_epoch(epoch_of(loader) + 1):
                    yield order.epoch()

    return isolated(look, end - time.monotonic()).said


def _of_order(loader: DataLoader, epochs: list[EpochIndices], cared_for: bool, trains: bool) -> list[Finding]:
    first, *others = epochs or [EpochIndices()]
    if not others or not first.shuffled or len(first.indices) < 4 or first.indices != others[0].indices:
        return []
    indices = [epoch.indices for epoch in epochs]
    if len(others) == 1 or others[1].indices == first.indices:
        return [fault.same_order(indices=indices)]
    if cared_for or epoch_of(loader):  # somebody has called `set_epoch`
        return []
    part = shared_out(loader)
    what = "batch_sampler" if hasattr(loader.batch_sampler, "set_epoch") else "sampler"
    ranks = part.ranks if part else 1
    return [fault.set_epoch_missing(what, indices=indices, ranks=ranks, certain=trains)]


def _of_batches(loader: DataLoader, epochs: list[EpochIndices], training: bool) -> list[Finding]:
    if not epochs or not epochs[0].whole:
        return []
    first, *others = epochs
    if not first.sizes:
        return [fault.no_batches(len(loader.dataset))]
    found = _small_last(first) if training else []
    if first.known and shared_out(loader) is None:
        found += _lost(loader, first, others[0]) if others else []
        found += _twice(loader, first)
    return found


def _small_last(epoch: EpochIndices) -> list[Finding]:
    """Find a small last batch in a training, which shuffles; in an evaluation, every sample is wanted."""
    *others, last = epoch.sizes
    if (
        not epoch.shuffled
        or len(set(others)) != 1
        or last == others[0]
        or (last > 1 and last * 16 > others[0])
    ):
        return []
    return [fault.small_last_batch(last, others[0], len(epoch.sizes))]


def _lost(loader: DataLoader, first: EpochIndices, second: EpochIndices) -> list[Finding]:
    """Find samples that no epoch shows because they would not fill a batch. Where the order changes, others are left out each time."""
    length, size = len(loader.dataset), first.sizes[0]
    never = sorted(set(range(length)) - set(first.indices))
    if set(first.sizes) != {size} or first.indices != second.indices or not 0 < len(never) < size:
        return []
    return [fault.samples_lost(length, never=never, change=_whole(loader))]


def _twice(loader: DataLoader, epoch: EpochIndices) -> list[Finding]:
    """Find batches that overlap. A sampler that draws samples more than once on purpose leaves some out, or gives some thrice."""
    often = Counter(epoch.indices)
    ends = np.cumsum([0, *epoch.sizes])
    parts = [set(epoch.indices[a:b]) for a, b in pairwise(ends)]
    overlap = len(parts) > 2 and all(a & b for a, b in pairwise(parts))
    if not overlap or len(often) < len(loader.dataset) or max(often.values()) > 2:
        return []
    twice = sum(count == 2 for count in often.values())
    asked, change = len(epoch.indices), _whole(loader)
    return [fault.samples_repeated(twice, len(often), asked=asked, change=change)]


def _whole(loader: DataLoader) -> str:
    if loader.batch_sampler is None or type(loader.batch_sampler) is BatchSampler:
        return fault.WHOLE
    return "DataLoader(..., batch_sampler=BatchSampler(sampler, batch_size, drop_last=False))"


def _of_ranks(loader: DataLoader, end: float, epoch: EpochIndices | None, certain: bool) -> list[Finding]:
    """Return findings about ranks; ``epoch`` is one of this rank, None where something else may put another sampler in.

    ``certain``: nothing will, for instance because the training loop is known.
    """
    part, (rank, ranks) = shared_out(loader), place()
    if part is None:
        return [] if ranks == 1 or epoch is None else _not_split(loader, epoch, ranks, certain)
    if ranks > 1 and (part.rank, part.ranks) != (rank, ranks):
        return [fault.wrong_rank(part.rank, part.ranks, rank, ranks)]

    def look() -> Iterator[tuple[EpochIndices, EpochIndices]]:
        for each in range(part.ranks):
            with draws_given_back():  # as if all ranks had the same seed
                order = Order(loader, each)
                first = order.epoch()
                order.set_epoch(epoch_of(loader) + 1)
                yield first, order.epoch()

    said = isolated(look, end - time.monotonic()).said if part.ranks > 1 else []
    epochs = [first for first, _second in said]
    # Where all are alike, the sampler has taken its part when it was made, and copies cannot show those of others.
    if len(epochs) < 2 or all(each.indices == epochs[0].indices for each in epochs):
        return []
    found = _uneven(epochs)
    if len(epochs) == part.ranks and all(each.known and each.whole for each in epochs):
        found += _together(loader, epochs, [second for _first, second in said])
    return found


def _not_split(loader: DataLoader, epoch: EpochIndices, ranks: int, certain: bool) -> list[Finding]:
    """Find ranks that all see everything: in an evaluation a waste, in a training no parallel one."""
    length = len(loader.dataset)
    if not epoch.shuffled or len(epoch.indices) < length:
        return []
    return [fault.ranks_not_split(ranks, length, len(epoch.indices), certain=certain)]


def _uneven(epochs: list[EpochIndices]) -> list[Finding]:
    """Ranks of an evaluation may differ, where none waits for another; those of a training wait at each step."""
    batches = [len(epoch.sizes) for epoch in epochs]
    if len(set(batches)) == 1 or not any(epoch.shuffled for epoch in epochs):
        return []
    return [fault.uneven_ranks(batches)]


def _together(loader: DataLoader, epochs: list[EpochIndices], later: list[EpochIndices]) -> list[Finding]:
    length, ranks = len(loader.dataset), len(epochs)
    often = Counter(index for epoch in epochs for index in epoch.indices)
    twice, never = sum(count > 1 for count in often.values()), length - len(often)
    rows = (
        Row(_("samples of the dataset"), length),
        Row(_("samples that come more than once in an epoch of all ranks"), twice),
        Row(_("samples that come on no rank"), never),
    )
    if on_purpose(loader):
        return []
    if twice >= ranks:  # to fill up the last round takes less
        return [fault.overlapping_ranks(twice, never, length, rows)]
    if twice and not any(epoch.shuffled for epoch in epochs):
        change = "Subset(dataset, range(rank, len(dataset), ranks))"
        return [fault.samples_repeated(twice, length, ranks=rows, change=change)]
    gone = set(range(length)) - set(often)
    remainder = ranks * max((epoch.sizes[0] for epoch in epochs if epoch.sizes), default=1)
    if 0 < len(gone) < remainder and not gone & {index for epoch in later for index in epoch.indices}:
        change = "DataLoader(..., sampler=DistributedSampler(dataset, drop_last=False), drop_last=False)"
        return [fault.samples_lost(length, never=sorted(gone), ranks=rows, change=change)]
    return []


def _of_draws(loader: DataLoader, end: float, training: bool) -> list[Finding]:
    if not loader.num_workers or time.monotonic() > end:
        return []

    def look() -> Iterator[Draws]:
        with draws_given_back():
            yield from draws(loader, min(loader.num_workers, 2))

    said = isolated(look, end - time.monotonic()).said
    paths = sorted({path for each in said for path in each.after})
    if isinstance(
        loader.dataset, IterableDataset
    ):  # its own may have to be the same, to share out what it reads
        paths = [path for path in paths if path in OF_THE_PROCESS]
    across = [path for path in paths if _alike(said, path, lambda each: each.epoch == 0)]
    # An evaluation may want the same numbers each time.
    epochs = [path for path in paths if training and _alike(said, path, lambda each: each.worker == 0)]
    found = []
    for own in (True, False):
        where = [path for path in paths if path in across + epochs and (path not in OF_THE_PROCESS) is own]
        if where:
            found.append(_repeated(loader, said, where, bool(set(where) & set(across)), own))
    return found


def _alike(said: list[Draws], path: str, among: Any) -> bool:
    """Return whether the first batches among these were made with the same numbers of this generator."""
    first = list({(each.epoch, each.worker): each for each in reversed(said) if among(each)}.values())
    if len(first) < 2 or any(path not in each.used() for each in first):
        return False
    # A generator that was made with the first sample was not there before it.
    before = {each.before.get(path) for each in first}
    return len(before) == 1 and (None not in before or len({each.after[path] for each in first}) == 1)


def _repeated(loader: DataLoader, said: list[Draws], where: list[str], across: bool, own: bool) -> Finding:
    rows = tuple(
        Row(
            _("epoch {epoch}, worker {worker}: next number of {where}").format(
                epoch=each.epoch + 1, worker=each.worker, where=f"`{where[0]}`"
            ),
            number(each.before.get(where[0], each.after[where[0]]), 6),
        )
        for each in said
    )
    change = after_own(_reseeded(loader, where) if own else fault.SEED_WORKER, name_of(loader.worker_init_fn))
    return fault.repeated_draws(where, across, rows, change)


def _reseeded(loader: DataLoader, where: list[str]) -> str:
    """Return a `worker_init_fn` that seeds these generators by worker and epoch."""
    generators = held(loader.dataset, "dataset") | held(loader.collate_fn, "collate_fn")
    lines = ["def seed_worker(worker):", "    info = torch.utils.data.get_worker_info()"]
    for path in where:
        new = next((new for kind, new in _SEEDED.items() if isinstance(generators.get(path), kind)), None)
        if path.isidentifier():
            lines.append(f"    global {path}")
        target = f"info.{path}" if path.startswith("dataset") else path
        lines.append(f"    {target} = {new or _SEEDED[np.random.Generator]}")
    return "\n".join([*lines, "", "DataLoader(..., worker_init_fn=seed_worker)"])

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
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset

from ..ranks import place
from ..words import number
from ..words import translate as _
from .clone import draws_given_back, loader_in
from .finding import Cost, Finding, Row, after_own, name_of
from .kinds import fault
from .lines import call_of, files_of, line_of
from .orders import EpochIndices, Order, epoch_of, groups, on_purpose, shared_out
from .randomness import OF_THE_PROCESS, Draws, apart, draws, held
from .rows import of_rows
from .streaming import Streams

# Who calls `set_epoch` without the program saying so.
CALLERS = re.compile(r"set_epoch|\b(accelerate|lightning|pytorch_lightning|transformers|ignite|composer)\b")
TRAINING = re.compile(r"(?<![a-z])train(?!ed)", re.IGNORECASE)
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
    What could not be looked at in so many seconds, all together, is not spoken of. An iterable that is no DataLoader is left alone.
    """
    loader = loader_in(batches)
    if loader is None:
        return []
    end = time.monotonic() + seconds
    # These call `set_epoch`, and may put another sampler into the loader.
    cared_for = CALLERS.search(program or "") is not None
    known = "backward(" in (program or "")
    # An evaluation drops no samples.
    training = True if trains or known or loader.drop_last else None
    if training is None and TRAINING.search(program or ""):
        training = False
    if isinstance(loader.dataset, IterableDataset):
        found = Streams(loader, end, cared_for, training).findings()
        found = _of_draws(loader, end, training=False) + found
    else:
        epochs = apart(lambda: _epochs(loader), end)
        first = epochs[0] if epochs else EpochIndices()
        found = _of_order(loader, epochs, cared_for, known)
        found += _of_batches(loader, epochs, trains or not groups(loader))
        found += _of_ranks(loader, end, EpochIndices() if cared_for else first, known)
        found += _of_draws(loader, end, training=first.shuffled)
        found += of_rows(loader, first, end, training) if first.sizes else []
        if any(one.kind is fault.sorted_by_class for one in found):
            # Shuffled, it leaves out others each time.
            found = [one for one in found if one.kind is not fault.samples_lost]
    return sorted(found, key=lambda finding: not finding.certain)


def _epochs(loader: DataLoader) -> Iterator[EpochIndices]:
    """Yield two epochs one after another, and where they are the same, one after `set_epoch`, if there is such a thing."""
    order = Order(loader)
    first = order.epoch()
    yield first
    # Else it is the loader that begins another epoch, and not the sampler.
    if order.by_itself and first.whole:
        second = order.epoch()
        yield second
        if first.indices == second.indices and order.set_epoch(epoch_of(loader) + 1):
            yield order.epoch()


def _of_order(loader: DataLoader, epochs: list[EpochIndices], cared_for: bool, trains: bool) -> list[Finding]:
    first, *others = epochs or [EpochIndices()]
    if others and 2 * len(others[0].indices) < len(first.indices):
        what = "sampler" if type(loader.batch_sampler) in (BatchSampler, type(None)) else "batch_sampler"
        counts = {"first": len(first.sizes), "second": len(others[0].sizes)}
        label = _("batches of epoch {epoch}")
        rows = [Row(label.format(epoch=epoch), n) for epoch, n in enumerate(counts.values(), 1)]
        at = call_of("DataLoader", files_of(loader.dataset), what)
        return [fault.sampler_once(*rows, place=at, what=what, **counts)]
    if not others or not first.shuffled or len(first.indices) < 4 or first.indices != others[0].indices:
        return []
    shown = fault.first_indices([epoch.indices for epoch in epochs])
    if len(others) == 1 or others[1].indices == first.indices:
        return [fault.same_order(*shown)]
    if cared_for or epoch_of(loader):  # somebody has called `set_epoch`
        return []
    part = shared_out(loader)
    what = "batch_sampler" if hasattr(loader.batch_sampler, "set_epoch") else "sampler"
    return [fault.set_epoch_missing(what, *shown, ranks=part.ranks if part else 1, certain=trains)]


def _of_batches(loader: DataLoader, epochs: list[EpochIndices], training: bool) -> list[Finding]:
    if not epochs or not epochs[0].whole:
        return []
    first, *others = epochs
    if not first.sizes:
        return [fault.no_batches(length=len(loader.dataset))]
    found, (*before, last) = [], first.sizes
    # In an evaluation, which does not shuffle, every sample is wanted.
    small = len(set(before)) == 1 and last != before[0] and (last == 1 or last * 16 <= before[0])
    if small and training and first.shuffled:
        one = fault.small_last_batch(last=last, size=before[0], batches=len(first.sizes))
        found = [replace(one, cost=Cost(0.0))]
    if first.known and shared_out(loader) is None:
        found += _lost(loader, first, others[0]) if others else []
        found += _twice(loader, first)
    return found


def _lost(loader: DataLoader, first: EpochIndices, second: EpochIndices) -> list[Finding]:
    """Find samples that no epoch shows because they would not fill a batch. Where the order changes, others are left out each time."""
    length, size = len(loader.dataset), first.sizes[0]
    never = sorted(set(range(length)) - set(first.indices))
    if set(first.sizes) != {size} or first.indices != second.indices or not 0 < len(never) < size:
        return []
    return [fault.samples_lost(change=_whole(loader), n=len(never), length=length, first=never[0])]


def _twice(loader: DataLoader, epoch: EpochIndices) -> list[Finding]:
    """Find batches that overlap. A sampler that draws samples more than once on purpose leaves some out, or gives some thrice."""
    often = Counter(epoch.indices)
    ends = np.cumsum([0, *epoch.sizes])
    parts = [set(epoch.indices[a:b]) for a, b in pairwise(ends)]
    overlap = len(parts) > 2 and all(a & b for a, b in pairwise(parts))
    if not overlap or len(often) < len(loader.dataset) or max(often.values()) > 2:
        return []
    twice, asked = sum(count == 2 for count in often.values()), len(epoch.indices)
    return [fault.samples_repeated(change=_whole(loader), n=twice, length=len(often), asked=asked)]


def _whole(loader: DataLoader) -> str:
    if loader.batch_sampler is None or type(loader.batch_sampler) is BatchSampler:
        return fault.WHOLE
    return "DataLoader(..., batch_sampler=BatchSampler(sampler, batch_size, drop_last=False))"


def _of_ranks(loader: DataLoader, end: float, epoch: EpochIndices, certain: bool) -> list[Finding]:
    """Return findings about ranks; ``epoch`` is one of this rank, empty where something else may put another sampler in.

    ``certain``: nothing will, for instance because the training loop is known.
    """
    part, (rank, ranks), length = shared_out(loader), place(), len(loader.dataset)
    if part is None:
        # In an evaluation it is a waste that all ranks see everything, in a training no parallel one.
        if ranks == 1 or not epoch.shuffled or len(epoch.indices) < length:
            return []
        values = {"ranks": ranks, "length": length, "of_rank": len(epoch.indices)}
        return [fault.ranks_not_split(certain=certain, **values)]
    if ranks > 1 and (part.rank, part.ranks) != (rank, ranks):
        return [fault.wrong_rank(given=part.rank, of=part.ranks, rank=rank, ranks=ranks)]

    def look() -> Iterator[tuple[EpochIndices, EpochIndices]]:
        for each in range(part.ranks):
            with draws_given_back():  # as if all ranks had the same seed
                order = Order(loader, each)
                first = order.epoch()
                order.set_epoch(epoch_of(loader) + 1)
                yield first, order.epoch()

    said = apart(look, end) if part.ranks > 1 else []
    epochs = [first for first, _second in said]
    # Where all are alike, the sampler has taken its part when it was made, and copies cannot show those of others.
    if len(epochs) < 2 or all(each.indices == epochs[0].indices for each in epochs):
        return []
    found, batches = [], [len(each.sizes) for each in epochs]
    # Ranks of an evaluation may differ, where none waits for another; those of a training wait at each step.
    if len(set(batches)) > 1 and any(each.shuffled for each in epochs):
        label = _("batches of rank {rank}")
        rows = [Row(label.format(rank=each), count) for each, count in enumerate(batches[:8])]
        found.append(fault.uneven_ranks(*rows, low=min(batches), high=max(batches)))
    whole = len(epochs) == part.ranks and all(each.known and each.whole for each in epochs)
    if whole and not on_purpose(loader):
        found += _together(length, epochs, {index for _first, second in said for index in second.indices})
    return found


def _together(length: int, epochs: list[EpochIndices], later: set[int]) -> list[Finding]:
    """Return findings about what all ranks together show in an epoch; ``later``: the samples of another one."""
    ranks = len(epochs)
    often = Counter(index for epoch in epochs for index in epoch.indices)
    twice, gone = sum(count > 1 for count in often.values()), set(range(length)) - set(often)
    rows = (
        Row(_("samples of the dataset"), length),
        Row(_("samples that come more than once in an epoch of all ranks"), twice),
        Row(_("samples that come on no rank"), len(gone)),
    )
    if twice >= ranks:  # to fill up the last round takes less
        return [fault.overlapping_ranks(*rows, twice=twice, never=len(gone), length=length)]
    if twice and not any(epoch.shuffled for epoch in epochs):
        change = "Subset(dataset, range(rank, len(dataset), ranks))"
        return [fault.samples_repeated(*rows, other=True, change=change, n=twice)]
    remainder = ranks * max((epoch.sizes[0] for epoch in epochs if epoch.sizes), default=1)
    if 0 < len(gone) < remainder and not gone & later:
        change = "DataLoader(..., sampler=DistributedSampler(dataset, drop_last=False), drop_last=False)"
        return [fault.samples_lost(*rows, other=True, change=change, n=len(gone), length=length)]
    return []


def _of_draws(loader: DataLoader, end: float, training: bool) -> list[Finding]:
    if not loader.num_workers or time.monotonic() > end:
        return []
    said = apart(lambda: draws(loader, min(loader.num_workers, 2)), end)
    paths = sorted({path for each in said for path in each.after})
    if isinstance(loader.dataset, IterableDataset):
        # Its own may have to be the same, to share out what it reads.
        paths = [path for path in paths if path in OF_THE_PROCESS]
    across = {path for path in paths if _alike([each for each in said if each.epoch == 0], path)}
    # An evaluation may want the same numbers each time.
    later = {path for path in paths if training and _alike([one for one in said if one.worker == 0], path)}
    alike, found = [path for path in paths if path in across | later], []
    for own in (True, False):
        if where := [path for path in alike if (path not in OF_THE_PROCESS) is own]:
            one = _repeated(loader, said, where, not across & set(where))
            # Where the next epoch has others, hardly anything is lost.
            found.append(replace(one, cost=Cost(0.0)) if training and not later & set(where) else one)
    return found


def _alike(said: list[Draws], path: str) -> bool:
    """Return whether the first batches of workers and epochs were made with the same numbers of this generator."""
    first = list({(each.epoch, each.worker): each for each in reversed(said)}.values())
    if len(first) < 2 or any(path not in each.used() for each in first):
        return False
    # A generator that was made with the first sample was not there before it.
    before = {each.before.get(path) for each in first}
    return len(before) == 1 and (None not in before or len({each.after[path] for each in first}) == 1)


def _repeated(loader: DataLoader, said: list[Draws], where: list[str], epochs: bool) -> Finding:
    path, text = where[0], _("epoch {epoch}, worker {worker}: next number of {where}")
    rows = [
        Row(
            text.format(epoch=each.epoch + 1, worker=each.worker, where=f"`{path}`"),
            number(each.before.get(path, each.after[path]), 6),
        )
        for each in said
    ]
    change = fault.SEED_WORKER if path in OF_THE_PROCESS else _reseeded(loader, where)
    change = after_own(change, name_of(loader.worker_init_fn))
    made = re.match(r"dataset\.(\w+)", path)
    at = line_of(type(loader.dataset), rf"self\.{made[1]}\b[^=]*=") if made else None
    names = ", ".join(f"`{each}`" for each in where)
    return fault.repeated_draws(*rows, other=epochs, place=at, change=change, where=names)


def _reseeded(loader: DataLoader, where: list[str]) -> str:
    """Return a `worker_init_fn` that seeds these generators by worker and epoch."""
    generators = held(loader.dataset, "dataset") | held(loader.collate_fn, "collate_fn")
    lines = ["def seed_worker(worker):", "    info = torch.utils.data.get_worker_info()"]
    for path in where:
        new = next((new for kind, new in _SEEDED.items() if isinstance(generators.get(path), kind)), None)
        lines += [f"    global {path}"] if path.isidentifier() else []
        target = f"info.{path}" if path.startswith("dataset") else path
        lines.append(f"    {target} = {new or _SEEDED[np.random.Generator]}")
    return "\n".join([*lines, "", "DataLoader(..., worker_init_fn=seed_worker)"])

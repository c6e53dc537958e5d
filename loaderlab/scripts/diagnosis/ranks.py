"""The samples that ranks see together: a sampler that knows its rank is copied for each of the others, without a process for any."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from torch.utils.data import DataLoader

from ..ranks import place
from ..words import translate as _
from .clone import draws_given_back
from .finding import Finding, Row
from .isolated import isolated
from .kinds import fault
from .orders import EpochIndices, Order, epoch_of, on_purpose, shared_out


def of_ranks(loader: DataLoader, end: float, epoch: EpochIndices | None, certain: bool) -> list[Finding]:
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

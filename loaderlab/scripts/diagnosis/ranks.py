"""What ranks see together: a sampler that knows its rank is copied for each of the others, without a process for any."""

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
from .orders import Epoch, Order, epoch_of, on_purpose, shared_out


def of_ranks(loader: DataLoader, end: float, epoch: Epoch | None, certain: bool) -> list[Finding]:
    """Findings about ranks; ``epoch`` is one of this rank, None where something else may put another sampler in.

    ``certain``: nothing will, for instance because the training loop is known.
    """
    part, (rank, ranks) = shared_out(loader), place()
    if part is None:
        return [] if ranks == 1 or epoch is None else _not_split(loader, epoch, ranks, certain)
    if ranks > 1 and (part.rank, part.ranks) != (rank, ranks):
        text = _("The sampler gives the samples of rank {given} of {of}, and this is rank {rank} of {ranks}.")
        text = text.format(given=part.rank, of=part.ranks, rank=rank, ranks=ranks)
        rows = (Row(_("rank of the sampler"), part.rank), Row(_("rank of this process"), rank))
        return [Finding("wrong_rank", text, rows, "DistributedSampler(dataset)")]

    def look() -> Iterator[tuple[Epoch, Epoch]]:
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


def _not_split(loader: DataLoader, epoch: Epoch, ranks: int, certain: bool) -> list[Finding]:
    """An evaluation of everything on each rank is a waste; a training of everything on each rank is none in parallel."""
    length = len(loader.dataset)
    if not epoch.shuffled or len(epoch.indices) < length:
        return []
    text = _(
        "Ranks: {ranks}, and each goes through all samples of the dataset: the sampler knows of no ranks."
    )
    rows = (Row(_("samples of the dataset"), length), Row(_("samples of this rank"), len(epoch.indices)))
    change = "DataLoader(..., shuffle=False, sampler=DistributedSampler(dataset))"
    return [Finding("ranks_not_split", text.format(ranks=ranks), rows, change, certain=certain)]


def _uneven(epochs: list[Epoch]) -> list[Finding]:
    """Ranks of an evaluation may differ, where none waits for another; those of a training wait at each step."""
    batches = [len(epoch.sizes) for epoch in epochs]
    if len(set(batches)) == 1 or not any(epoch.shuffled for epoch in epochs):
        return []
    text = _(
        "The ranks have different numbers of batches, from {low} to {high}: those that have more wait for the others in vain."
    )
    rows = (
        Row(_("batches of rank {rank}").format(rank=rank), count) for rank, count in enumerate(batches[:8])
    )
    change = "DataLoader(..., sampler=DistributedSampler(dataset))"
    return [Finding("uneven_ranks", text.format(low=min(batches), high=max(batches)), tuple(rows), change)]


def _together(loader: DataLoader, epochs: list[Epoch], later: list[Epoch]) -> list[Finding]:
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
        text = _("Ranks see the same samples in the same epoch: {twice} of {length}. No rank sees {never}.")
        text = text.format(twice=twice, length=length, never=never)
        return [
            Finding("overlapping_ranks", text, rows, "DataLoader(..., sampler=DistributedSampler(dataset))")
        ]
    if twice and not any(epoch.shuffled for epoch in epochs):
        text = _("Samples that come on two ranks: {n}. An evaluation counts them twice.")
        change = "Subset(dataset, range(rank, len(dataset), ranks))"
        return [Finding("samples_repeated", text.format(n=twice), rows, change)]
    gone = set(range(length)) - set(often)
    remainder = ranks * max((epoch.sizes[0] for epoch in epochs if epoch.sizes), default=1)
    if 0 < len(gone) < remainder and not gone & {index for epoch in later for index in epoch.indices}:
        text = _("Samples that come on no rank, in no epoch: {n} of {length}.")
        change = "DataLoader(..., sampler=DistributedSampler(dataset, drop_last=False), drop_last=False)"
        return [Finding("samples_lost", text.format(n=len(gone), length=length), rows, change)]
    return []

"""The kinds of finding about what is wrong, and not only slow: what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...words import translate as _
from ..finding import Row, Words, kind

SET_EPOCH = """for epoch in range(epochs):
    loader.{sampler}.set_epoch(epoch)
    for batch in loader:
        ..."""
SPLIT = """def __iter__(self):
    info = torch.utils.data.get_worker_info()
    first, step = (info.id, info.num_workers) if info else (0, 1)
    yield from itertools.islice(self.samples(), first, None, step)"""
SEED_WORKER = """def seed_worker(worker):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)

DataLoader(..., worker_init_fn=seed_worker)"""
WHOLE = "DataLoader(..., drop_last=False)"
DISTRIBUTED = "DataLoader(..., sampler=DistributedSampler(dataset))"


@kind(
    "The order is drawn anew in each epoch, and is the same: a seed is set again.",
    "DataLoader(dataset, batch_size, shuffle=True)",
)
def same_order(*, indices: Sequence[Sequence[Any]] = (), compared: int = 0) -> Words:
    """Say that epochs have the same order. ``indices``: the first ones of each epoch; or ``compared``: so many samples of an iterable dataset."""
    if indices:
        text = _("The order is drawn anew in each epoch, and always comes out the same: a seed is set again.")
        return Words(text, _epochs(indices))
    text = _("The dataset shuffles, and its order is the same in each epoch: a seed is set again.")
    return Words(text, _compared(compared), "rng = random.Random()  # made once, not in `__iter__`")


@kind("Without `set_epoch` the order is the same in each epoch.", SET_EPOCH, certain=False)
def set_epoch_missing(
    what: str,
    *,
    indices: Sequence[Sequence[Any]] = (),
    compared: int = 0,
    ranks: int = 1,
    certain: bool = False,
) -> Words:
    """Say that `set_epoch` is missing. ``what`` has it: "sampler", "batch_sampler" or "dataset"; ``certain``: no line of the program calls it."""
    if indices:
        sentences, rows = (
            [_("Without `set_epoch` this sampler gives the same order in each epoch.")],
            _epochs(indices),
        )
    else:
        sentences = [_("Without `set_epoch` the dataset shuffles in the same way in each epoch.")]
        rows = _compared(compared)
    if ranks > 1:
        sentences.append(_("Each rank then sees the same samples for ever, and never those of the others."))
    sentences.append(
        _("No line of the program calls it.")
        if certain
        else _("Whether your loop calls it cannot be seen from here.")
    )
    return Words(" ".join(sentences), rows, SET_EPOCH.format(sampler=what), certain=certain)


@kind("The loader gives no batch: `drop_last` drops what does not fill one.", WHOLE)
def no_batches(length: int) -> Words:
    """``length``: samples of the dataset."""
    text = _("The loader gives no batch: the samples do not fill one, and `drop_last` drops what is left.")
    return Words(text, (_length(length),))


@kind(
    "The last batch of a training is so small that its samples count far more than others.",
    "DataLoader(..., drop_last=True)",
)
def small_last_batch(last: int, size: int, batches: int) -> Words:
    """``last``: samples in it; ``size``: in all others; ``batches``: in an epoch."""
    text = _(
        "The last batch of an epoch has {last} of {size} samples, and its gradient counts as much as that of a full one. "
        "With one sample alone, BatchNorm may raise an error."
    )
    rows = (Row(_("batches of an epoch"), batches), Row(_("samples in the last one"), last))
    return Words(text.format(last=last, size=size), rows)


@kind("Some samples never come, in no epoch and on no rank.", WHOLE)
def samples_lost(
    length: int, *, never: Sequence[int] = (), ranks: Sequence[Row] = (), change: str | None = None
) -> Words:
    """``never``: the samples that do not come; ``ranks``: where they come on no rank, what was counted."""
    n = len(never)
    if ranks:
        text = _("Samples that come on no rank, in no epoch: {n} of {length}.")
        return Words(text.format(n=n, length=length), tuple(ranks), change)
    text = _("Samples that no epoch shows: {n} of {length}. They do not fill a batch.")
    rows = (Row(_("samples that never come"), n), Row(_("the first of them"), never[0]))
    return Words(text.format(n=n, length=length), rows, change)


@kind("Samples come twice in an epoch, in batches that overlap or on ranks that pad.", WHOLE)
def samples_repeated(
    twice: int, length: int, *, asked: int = 0, ranks: Sequence[Row] = (), change: str | None = None
) -> Words:
    """``asked``: samples that an epoch asks for; ``ranks``: where they come on several ranks, what was counted."""
    if ranks:
        text = _("Samples that come on two ranks: {n}. An evaluation counts them twice.")
        return Words(text.format(n=twice), tuple(ranks), change)
    text = _(
        "Samples that come twice in an epoch: {n} of {length}. Each batch has some that the one before it had."
    )
    rows = (_length(length), Row(_("samples that an epoch asks for"), asked))
    return Words(text.format(n=twice, length=length), rows, change)


@kind("Workers, or epochs, draw the same random numbers: augmentations repeat.", SEED_WORKER)
def repeated_draws(
    where: Sequence[str], across: bool, rows: tuple[Row, ...], change: str | None = None
) -> Words:
    """``where``: the generators; ``across``: from worker to worker, and not from epoch to epoch."""
    text = (
        _(
            "The workers draw the same random numbers from {where}, so augmentations repeat from worker to worker."
        )
        if across
        else _(
            "In each epoch the workers draw the same random numbers from {where}, so augmentations repeat from epoch to epoch."
        )
    )
    return Words(text.format(where=", ".join(f"`{path}`" for path in where)), rows, change)


@kind("Each worker reads the whole iterable dataset.", SPLIT)
def workers_repeat(rows: tuple[Row, ...]) -> Words:
    text = _(
        "Each worker reads the whole dataset: each sample comes as often in an epoch as there are workers."
    )
    return Words(text, rows)


@kind("The iterable dataset can be read only once.", "def __iter__(self):\n    return iter(self.open())")
def later_epoch_short(first: int, second: int) -> Words:
    """Return samples of the first epoch, and of the second."""
    text = _(
        "The second epoch has {second} samples, and the first {first}: the dataset can be read only once."
    )
    rows = tuple(
        Row(_("samples of epoch {epoch}, worker {worker}").format(epoch=epoch, worker=0), n)
        for epoch, n in ((1, first), (2, second))
    )
    return Words(text.format(second=second, first=first), rows)


@kind("The buffer that shuffles is smaller than the runs of one class.", "dataset.shuffle(10_000)")
def shuffle_too_small(classes: float, mixed: float) -> Words:
    """Classes in a batch, on average, as they come and in a random order."""
    text = _(
        "The buffer that shuffles is smaller than the runs of one class: a batch has few of the classes."
    )
    rows = (
        Row(_("classes in a batch, on average"), round(classes, 1)),
        Row(_("in a random order of the same samples"), round(mixed, 1)),
    )
    return Words(text, rows)


@kind("The sampler gives the samples of another rank than this one.", "DistributedSampler(dataset)")
def wrong_rank(given: int, of: int, rank: int, ranks: int) -> Words:
    """``given``, ``of``: rank and ranks of the sampler; ``rank``, ``ranks``: of this process."""
    text = _("The sampler gives the samples of rank {given} of {of}, and this is rank {rank} of {ranks}.")
    rows = (Row(_("rank of the sampler"), given), Row(_("rank of this process"), rank))
    return Words(text.format(given=given, of=of, rank=rank, ranks=ranks), rows)


@kind(
    "Each rank goes through all samples.",
    "DataLoader(..., shuffle=False, sampler=DistributedSampler(dataset))",
    certain=False,
)
def ranks_not_split(ranks: int, length: int, of_rank: int, *, certain: bool = False) -> Words:
    """``length``: samples of the dataset; ``of_rank``: of this rank; ``certain``: nothing puts another sampler in."""
    text = _(
        "Ranks: {ranks}, and each goes through all samples of the dataset: the sampler knows of no ranks."
    )
    rows = (_length(length), Row(_("samples of this rank"), of_rank))
    return Words(text.format(ranks=ranks), rows, certain=certain)


@kind("The ranks have different numbers of batches: those that have more wait in vain.", DISTRIBUTED)
def uneven_ranks(batches: Sequence[int]) -> Words:
    """``batches``: of each rank."""
    text = _(
        "The ranks have different numbers of batches, from {low} to {high}: those that have more wait for the others in vain."
    )
    rows = (
        Row(_("batches of rank {rank}").format(rank=rank), count) for rank, count in enumerate(batches[:8])
    )
    return Words(text.format(low=min(batches), high=max(batches)), tuple(rows))


@kind("Ranks see the same samples in the same epoch.", DISTRIBUTED)
def overlapping_ranks(twice: int, never: int, length: int, rows: tuple[Row, ...]) -> Words:
    text = _("Ranks see the same samples in the same epoch: {twice} of {length}. No rank sees {never}.")
    return Words(text.format(twice=twice, length=length, never=never), rows)


def _length(length: int) -> Row:
    return Row(_("samples of the dataset"), length)


def _epochs(indices: Sequence[Sequence[Any]]) -> tuple[Row, ...]:
    return tuple(
        Row(_("first indices of epoch {epoch}").format(epoch=epoch), ", ".join(map(str, some[:6])))
        for epoch, some in enumerate(indices[:2], 1)
    )


def _compared(count: int) -> tuple[Row, ...]:
    return (Row(_("samples compared, all of them the same in both epochs"), count),)

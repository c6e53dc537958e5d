"""What is wrong with a loader, and not only slow: random numbers, order, ranks, samples that are lost or come twice.

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

from ..words import number
from ..words import translate as _
from .clone import draws_given_back, loader_in
from .finding import Finding, Row
from .isolated import isolated
from .orders import Epoch, Order, epoch_of, groups, shared_out
from .randomness import OF_THE_PROCESS, Draws, draws, held
from .ranks import of_ranks
from .streaming import SET_EPOCH, of_stream

# Who calls `set_epoch` without the program saying so.
CALLERS = re.compile(r"set_epoch|\b(accelerate|lightning|pytorch_lightning|transformers|ignite|composer)\b")
_SEEDED = {
    np.random.Generator: "np.random.default_rng(info.seed)",
    np.random.RandomState: "np.random.RandomState(info.seed % 2**32)",
    random.Random: "random.Random(info.seed)",
    torch.Generator: "torch.Generator().manual_seed(info.seed)",
}
_SEED_WORKER = """def seed_worker(worker):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)

DataLoader(..., worker_init_fn=seed_worker)"""


def faults(
    batches: Any, seconds: float = 30.0, program: str | None = None, trains: bool = False
) -> list[Finding]:
    """Findings about what is wrong, the certain ones first; none where nothing is, or where nothing can be known.

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
        found += of_ranks(loader, end, None if cared_for else first, known)
        found += _of_draws(loader, end, training=first is not None and first.shuffled)
    return sorted(found, key=lambda finding: not finding.certain)


def _epochs(loader: DataLoader, end: float) -> list[Epoch]:
    """Two epochs one after another, and where they are the same, one after `set_epoch`, if there is such a thing."""

    def look() -> Iterator[Epoch]:
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


def _of_order(loader: DataLoader, epochs: list[Epoch], cared_for: bool, trains: bool) -> list[Finding]:
    first, *others = epochs or [Epoch()]
    if not others or not first.shuffled or len(first.indices) < 4 or first.indices != others[0].indices:
        return []
    rows = tuple(
        Row(_("first indices of epoch {epoch}").format(epoch=number), ", ".join(map(str, epoch.indices[:6])))
        for number, epoch in enumerate(epochs[:2], 1)
    )
    if len(others) == 1 or others[1].indices == first.indices:
        text = _("The order is drawn anew in each epoch, and always comes out the same: a seed is set again.")
        return [Finding("same_order", text, rows, "DataLoader(dataset, batch_size, shuffle=True)")]
    if cared_for or epoch_of(loader):  # somebody has called `set_epoch`
        return []
    sentences = [_("Without `set_epoch` this sampler gives the same order in each epoch.")]
    if (part := shared_out(loader)) and part.ranks > 1:
        sentences.append(_("Each rank then sees the same samples for ever, and never those of the others."))
    sentences.append(
        _("No line of the program calls it.")
        if trains
        else _("Whether your loop calls it cannot be seen from here.")
    )
    change = SET_EPOCH.format(
        what="batch_sampler" if hasattr(loader.batch_sampler, "set_epoch") else "sampler"
    )
    return [Finding("set_epoch_missing", " ".join(sentences), rows, change, certain=trains)]


def _of_batches(loader: DataLoader, epochs: list[Epoch], training: bool) -> list[Finding]:
    if not epochs or not epochs[0].whole:
        return []
    first, *others = epochs
    if not first.sizes:
        text = _(
            "The loader gives no batch: the samples do not fill one, and `drop_last` drops what is left."
        )
        rows = (Row(_("samples of the dataset"), len(loader.dataset)),)
        return [Finding("no_batches", text, rows, "DataLoader(..., drop_last=False)")]
    found = _small_last(first) if training else []
    if first.known and shared_out(loader) is None:
        found += _lost(loader, first, others[0]) if others else []
        found += _twice(loader, first)
    return found


def _small_last(epoch: Epoch) -> list[Finding]:
    """In a training, which shuffles; in an evaluation, every sample is wanted."""
    *others, last = epoch.sizes
    if (
        not epoch.shuffled
        or len(set(others)) != 1
        or last == others[0]
        or (last > 1 and last * 16 > others[0])
    ):
        return []
    text = _(
        "The last batch of an epoch has {last} of {size} samples, and its gradient counts as much as that of a full one. "
        "With one sample alone, BatchNorm may raise an error."
    ).format(last=last, size=others[0])
    rows = (Row(_("batches of an epoch"), len(epoch.sizes)), Row(_("samples in the last one"), last))
    return [Finding("small_last_batch", text, rows, "DataLoader(..., drop_last=True)")]


def _lost(loader: DataLoader, first: Epoch, second: Epoch) -> list[Finding]:
    """What no epoch shows because it would not fill a batch. Where the order changes, others are left out each time."""
    length, size = len(loader.dataset), first.sizes[0]
    never = sorted(set(range(length)) - set(first.indices))
    if set(first.sizes) != {size} or first.indices != second.indices or not 0 < len(never) < size:
        return []
    text = _("Samples that no epoch shows: {n} of {length}. They do not fill a batch.")
    rows = (Row(_("samples that never come"), len(never)), Row(_("the first of them"), never[0]))
    return [Finding("samples_lost", text.format(n=len(never), length=length), rows, _whole(loader))]


def _twice(loader: DataLoader, epoch: Epoch) -> list[Finding]:
    """Batches that overlap. A sampler that draws samples more than once on purpose leaves some out, or gives some thrice."""
    often = Counter(epoch.indices)
    ends = np.cumsum([0, *epoch.sizes])
    parts = [set(epoch.indices[a:b]) for a, b in pairwise(ends)]
    overlap = len(parts) > 2 and all(a & b for a, b in pairwise(parts))
    if not overlap or len(often) < len(loader.dataset) or max(often.values()) > 2:
        return []
    text = _(
        "Samples that come twice in an epoch: {n} of {length}. Each batch has some that the one before it had."
    )
    twice = sum(count == 2 for count in often.values())
    rows = (
        Row(_("samples of the dataset"), len(often)),
        Row(_("samples that an epoch asks for"), len(epoch.indices)),
    )
    return [Finding("samples_repeated", text.format(n=twice, length=len(often)), rows, _whole(loader))]


def _whole(loader: DataLoader) -> str:
    if loader.batch_sampler is None or type(loader.batch_sampler) is BatchSampler:
        return "DataLoader(..., drop_last=False)"
    return "DataLoader(..., batch_sampler=BatchSampler(sampler, batch_size, drop_last=False))"


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
    """Whether the first batches among these were made with the same numbers of this generator."""
    first = list({(each.epoch, each.worker): each for each in reversed(said) if among(each)}.values())
    if len(first) < 2 or any(path not in each.used() for each in first):
        return False
    # A generator that was made with the first sample was not there before it.
    before = {each.before.get(path) for each in first}
    return len(before) == 1 and (None not in before or len({each.after[path] for each in first}) == 1)


def _repeated(loader: DataLoader, said: list[Draws], where: list[str], across: bool, own: bool) -> Finding:
    text = (
        _(
            "The workers draw the same random numbers from {where}, so augmentations repeat from worker to worker."
        )
        if across
        else _(
            "In each epoch the workers draw the same random numbers from {where}, so augmentations repeat from epoch to epoch."
        )
    )
    rows = tuple(
        Row(
            _("epoch {epoch}, worker {worker}: next number of {where}").format(
                epoch=each.epoch + 1, worker=each.worker, where=f"`{where[0]}`"
            ),
            number(each.before.get(where[0], each.after[where[0]]), 6),
        )
        for each in said
    )
    change = _reseeded(loader, where) if own else _SEED_WORKER
    return Finding(
        "repeated_draws", text.format(where=", ".join(f"`{path}`" for path in where)), rows, change
    )


def _reseeded(loader: DataLoader, where: list[str]) -> str:
    """A `worker_init_fn` that seeds these generators by worker and epoch."""
    generators = held(loader.dataset, "dataset") | held(loader.collate_fn, "collate_fn")
    lines = ["def seed_worker(worker):", "    info = torch.utils.data.get_worker_info()"]
    for path in where:
        new = next((new for kind, new in _SEEDED.items() if isinstance(generators.get(path), kind)), None)
        if path.isidentifier():
            lines.append(f"    global {path}")
        target = f"info.{path}" if path.startswith("dataset") else path
        lines.append(f"    {target} = {new or _SEEDED[np.random.Generator]}")
    return "\n".join([*lines, "", "DataLoader(..., worker_init_fn=seed_worker)"])

"""Which of the processes that train together this one is, and how many they are."""

from __future__ import annotations

import os
from typing import Any

import torch.distributed as dist

from .words import translate as _


def place(rank: int | None = None, ranks: int | None = None, group: Any = None) -> tuple[int, int]:
    """This rank, and how many there are: as given, else of ``group``, else of all processes; (0, 1) for one process.

    All processes are those of torch's process group, and before there is one those that torchrun started. Raises
    ValueError where what is given is no rank, or is not what they say: ranks that are mistaken about themselves all read
    the same samples, and nothing shows it.
    """
    known = _known(group)
    if known is None:
        if rank is None and (ranks or 1) > 1:
            raise ValueError(_("Ranks: {ranks}, and which one this is was not given.").format(ranks=ranks))
        known = (rank or 0, 1 if ranks is None else ranks)
    found = (known[0] if rank is None else rank, known[1] if ranks is None else ranks)
    if found != known:
        raise ValueError(
            _(
                "This is rank {rank} of {ranks}, by torch's process group or by torchrun; given was rank {given} of {of}. "
                "Leave out `rank` and `ranks`; where only some of the processes share the samples, give their process "
                "group (`group=…`)."
            ).format(rank=known[0], ranks=known[1], given=found[0], of=found[1])
        )
    if not 0 <= found[0] < found[1]:
        raise ValueError(_("There is no rank {rank} among {ranks}.").format(rank=found[0], ranks=found[1]))
    return found


def agree(group: Any = None, **facts: Any) -> None:
    """Raise ValueError, on every rank, where the ranks differ in one of these facts; every rank has to call this.

    Ranks whose hosts have other copies of the data would wait for each other in the last step of an epoch, and for as long as
    the process group lets them. So, once, before a long run: ``agree(steps=len(batches), classes=Pack(file).classes)``.
    """
    if not (dist.is_available() and dist.is_initialized()):
        return
    everyone: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(everyone, facts, group=group)
    for name in facts:
        if any(one[name] != everyone[0][name] for one in everyone):
            each = "; ".join(f"{rank}: {one[name]}" for rank, one in enumerate(everyone))
            text = _(
                "The ranks differ in `{name}` ({each}). Give all of them the same data and the same options."
            )
            raise ValueError(text.format(name=name, each=each))


def _known(group: Any) -> tuple[int, int] | None:
    if group is not None or (dist.is_available() and dist.is_initialized()):
        return dist.get_rank(group), dist.get_world_size(group)
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return None

"""The rank of this process among those that train together, and how many they are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch.distributed as dist

from .words import translate as _

_turns: dict[str, int] = {}  # how often the ranks of a group have compared facts
_by_itself: list[bool] = []  # not empty: nothing is compared


def place(rank: int | None = None, ranks: int | None = None, group: Any = None) -> tuple[int, int]:
    """Return this rank, and how many there are: as given, else of ``group``, else of all processes; (0, 1) for one process.

    All processes are those of torch's process group, and before there is one those that torchrun started. Raises
    ValueError where what is given is no rank, or is not what they say: ranks that are mistaken about themselves all read
    the same samples, and nothing shows it. So too where Slurm or mpirun started several, and nothing else is known.
    """
    known = _known(group)
    if known is None and (rank is None or ranks is None) and (started := _started()) > 1:
        raise ValueError(
            _(
                "Processes that Slurm or mpirun started together: {count}. Which rank this one is, is not known before "
                "`torch.distributed.init_process_group`. Call that first, or give `rank` and `ranks` (for a process by "
                "itself: `rank=0, ranks=1`)."
            ).format(count=started)
        )
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
    the process group lets them. The loaders call it; for samplers, do so once, before a long run:
    ``agree(samples=len(dataset))``. Facts are of kinds that JSON has. Nothing happens without a process group.
    """
    check_same(told(facts, group), list(facts), group)


def check_same(everyone: list[Any], names: Sequence[str], group: Any = None) -> None:
    """Raise ValueError where what the ranks have `told` differs in one of these facts."""
    ranks = range(len(everyone)) if group is None else dist.get_process_group_ranks(group)
    for name in names:
        if any(one.get(name) != everyone[0].get(name) for one in everyone):
            each = "; ".join(f"{rank}: {one.get(name)}" for rank, one in zip(ranks, everyone, strict=True))
            text = _(
                "The ranks differ in `{name}` ({each}). Give all of them the same data and the same options."
            )
            raise ValueError(text.format(name=name, each=each))


def told(own: Any, group: Any = None) -> list[Any]:
    """Return what each rank of a process group tells the others, in their order; every rank has to call this.

    It is of a kind that JSON has. Without a process group, it is this rank's alone.
    """
    if _by_itself or not (dist.is_available() and dist.is_initialized()):
        return [own]
    # Through the store, which every backend has but MPI's: NCCL would want a device for it, before one may be set.
    store = dist.distributed_c10d._get_default_store()
    if store is None:
        return [own]
    ranks = dist.get_process_group_ranks(dist.group.WORLD if group is None else group)
    key = "loaderlab/" + ("all" if group is None else "-".join(map(str, ranks)))
    turn = _turns[key] = _turns.get(key, 0) + 1
    store.set(f"{key}/{turn}/{dist.get_rank()}", json.dumps(own))
    return [json.loads(store.get(f"{key}/{turn}/{rank}")) for rank in ranks]


@contextmanager
def by_itself() -> Iterator[None]:
    """Let this rank make loaders that others do not make, to measure with: they are not compared."""
    _by_itself.append(True)
    try:
        yield
    finally:
        _by_itself.pop()


def _known(group: Any) -> tuple[int, int] | None:
    if group is not None or (dist.is_available() and dist.is_initialized()):
        return dist.get_rank(group), dist.get_world_size(group)
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return None


def _started() -> int:
    """Return how many processes Slurm or an MPI says that it started together; 1 where neither did."""
    counts = [os.environ.get(name, "1") for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")]
    # A batch script has the number of tasks too, and runs once, as number 0; only what srun started has a step.
    if "SLURM_STEP_ID" in os.environ or os.environ.get("SLURM_PROCID", "0") != "0":
        counts.append(os.environ.get("SLURM_NTASKS", "1"))
    return max(int(count) for count in counts if count.isdecimal())

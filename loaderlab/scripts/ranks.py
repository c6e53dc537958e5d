"""The rank of this process among those that train together, and how many they are."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from .machine import STARTED_HERE
from .words import translate as _

PATIENCE = timedelta(minutes=1)  # in which the ranks of a group are expected; then it is said who is missing
# In which launchers other than torchrun and Slurm say how many ranks they started: Open MPI, MPICH, PALS, MVAPICH, jsrun.
STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PALS_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE")
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
            raise ValueError(
                _("Ranks: {ranks}, but the rank of this process was not given.").format(ranks=ranks)
            )
        known = (rank or 0, 1 if ranks is None else ranks)
    found = (known[0] if rank is None else rank, known[1] if ranks is None else ranks)
    if found != known:
        raise ValueError(
            _(
                "This is rank {rank} of {ranks}, according to torch's process group or to torchrun, but you gave rank {given} "
                "of {of}. Leave out `rank` and `ranks`; if only some of the processes share the samples, give their process "
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
    compared(facts, group)


def compared(facts: Mapping[str, Any], group: Any = None, **more: Any) -> list[Any]:
    """Return what each rank has `told`: these facts, and more. Raises ValueError where the ranks differ in one of the facts."""
    everyone = told({**facts, **more}, group)
    ranks = range(len(everyone)) if group is None else dist.get_process_group_ranks(group)
    for name in facts:
        if any(one.get(name) != everyone[0].get(name) for one in everyone):
            each = "; ".join(f"{rank}: {one.get(name)}" for rank, one in zip(ranks, everyone, strict=True))
            text = _(
                "The ranks differ in `{name}` ({each}). Give all of them the same data and the same options."
            )
            raise ValueError(text.format(name=name, each=each))
    return everyone


def told(own: Any, group: Any = None) -> list[Any]:
    """Return what each rank of a process group tells the others, in their order; every rank has to call this.

    It is of a kind that JSON has. Without a process group, it is this rank's alone. Where ranks are missing for longer than
    PATIENCE, a warning names them; RuntimeError, where they are for as long as the process group waits.
    """
    if _by_itself or not (dist.is_available() and dist.is_initialized()):
        return [own]
    # Through the store, which every backend has but MPI's: NCCL would want a device for it, before one may be set.
    store = dist.distributed_c10d._get_default_store()
    if store is None:
        return [own]
    ranks = dist.get_process_group_ranks(dist.group.WORLD if group is None else group)
    name = "loaderlab/" + ("all" if len(ranks) == dist.get_world_size() else "-".join(map(str, ranks)))
    turn = _turns.get(name, 0) + 1
    keys = {rank: f"{name}/{turn}/{rank}" for rank in ranks}
    store.set(keys[dist.get_rank()], json.dumps(own, default=int))  # of NumPy, too
    try:
        _wait(store, keys)
    except BaseException:  # this rank tells it anew in the turn in which the others will
        with suppress(dist.DistError):
            store.delete_key(keys[dist.get_rank()])
        raise
    _turns[name] = turn
    return [json.loads(store.get(key)) for key in keys.values()]


def _wait(store: Any, keys: dict[int, str]) -> None:
    """Wait until all ranks have told something; say who has not, and whom that keeps waiting."""
    here = _came(store, keys, min(PATIENCE, store.timeout))
    if here == set(keys):
        return
    warnings.warn(_missing(here, set(keys) - here), stacklevel=5)
    now = _came(store, keys, store.timeout)
    if now != set(keys):  # of those that were here, some have given up already
        raise RuntimeError(_missing(here | now, set(keys) - now))


def _came(store: Any, keys: dict[int, str], patience: timedelta) -> set[int]:
    """Return the ranks that have told something: all of them, or those that have after so long."""
    try:
        store.wait(list(keys.values()), patience)
    except RuntimeError:  # of a FileStore; the others raise DistStoreError, which is one
        return {rank for rank, key in keys.items() if store.check([key])}
    return set(keys)


def _missing(here: set[int], missing: set[int]) -> str:
    text = _(
        "Ranks that make a loader, or compare facts: {here}. They wait for: {missing}. Every rank of the process group must do "
        "the same. If only {here} should do it, let all ranks call `own = torch.distributed.new_group([{here}])`, and give "
        "`group=own` here."
    )
    return text.format(here=", ".join(map(str, sorted(here))), missing=", ".join(map(str, sorted(missing))))


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
    """Return how many processes Slurm or an MPI says that it started together, or at least on this host; 1 where neither did."""
    counts = [os.environ.get(name, "1") for name in (*STARTED, *STARTED_HERE)]
    # A batch script has the number of tasks too, and runs once, as number 0; only what srun started has a step.
    if "SLURM_STEP_ID" in os.environ or os.environ.get("SLURM_PROCID", "0") != "0":
        counts.append(os.environ.get("SLURM_NTASKS", "1"))
    return max(int(count) for count in counts if count.isdecimal())

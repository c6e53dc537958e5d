"""Four ranks with gloo: who comes alone is told, what was compared in vain leaves nothing behind, and each reads its own part."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch.distributed as dist

from loaderlab.scripts import machine, ranks
from loaderlab.scripts.distributed_sampler import EvenSampler
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.images import synthetic
from loaderlab.scripts.packing import pack
from loaderlab.scripts.ranks import agree
from together import together

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and gloo over lo")
RANKS = 4


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    pack(synthetic(tmp_path / "images", 17, 40, 30), tmp_path / "p")
    return tmp_path / "p"


def alone(make: Callable[[], object]) -> list[str]:
    """What is said to a rank to which nobody comes: after a moment, and when the group gives up."""
    store = dist.distributed_c10d._get_default_store()
    before, patience = store.timeout, ranks.PATIENCE
    store.set_timeout(timedelta(seconds=1))
    ranks.PATIENCE = timedelta(seconds=0.2)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                make()
            except RuntimeError as error:
                return [*(f"{Path(one.filename).name}: {one.message}" for one in said), str(error)]
    finally:
        store.set_timeout(before)
        ranks.PATIENCE = patience
    return []


def test_a_rank_that_makes_a_loader_alone_is_told_and_later_comparisons_pair_the_right_ones(
    packed: Path,
) -> None:
    def role(rank: int) -> Any:
        make = functools.partial(loader, packed, 4, workers=0)
        said = alone(lambda: make(shuffle=False, augment=False, seed=5)) if rank == 0 else []
        dist.barrier()
        # With the loaders of the others, and not with what failed.
        paired = make().batch_sampler.sampler.ranks
        # Rank 3 does not come. What the others told is not there any more when all compare something else.
        some = alone(lambda: agree(samples=rank)) if rank < 3 else []
        dist.barrier()
        agree(samples=17)
        own = dist.new_group([0])
        part = make(shuffle=False, augment=False, group=own).batch_sampler.sampler.ranks if rank == 0 else 1
        return said, some, paired, part, dict(ranks._turns)

    found = together(role)
    assert all(isinstance(one, tuple) for one in found), found
    warned, raised = found[0][0]
    assert warned == f"{Path(__file__).name}: {raised}"
    assert raised.startswith(
        "Ranks that make a loader, or compare facts: 0. They wait for: 1, 2, 3. Every rank of the process group"
    )
    assert "`own = torch.distributed.new_group([0])`, and give `group=own`" in raised
    for rank, (_said, some, paired, part, turns) in enumerate(found):
        assert (paired, part, turns["loaderlab/all"]) == (RANKS, 1, 2)
        assert all("3. Every rank" in one for one in some)
        assert len(some) == (2 if rank < 3 else 0)


def test_a_wrong_rank_is_told_before_anybody_is_waited_for(packed: Path) -> None:
    def role(rank: int) -> Any:
        if rank:
            return ""
        try:
            loader(packed, 4, workers=0, rank=0, ranks=1)
        except ValueError as error:
            return str(error)

    assert together(role)[0].startswith("This is rank 0 of 4")


def test_ranks_share_the_cores_of_those_only_that_are_bound_to_the_same(packed: Path) -> None:
    def role(rank: int) -> int:
        machine.pools = lambda: {f"host {min(rank, 2)}": 8.0}  # two by themselves, two together
        return loader(packed, 4).num_workers

    assert together(role) == [8, 8, 4, 4]


def test_in_a_mesh_the_flattened_group_gives_each_rank_a_part_of_its_own(packed: Path) -> None:
    def role(rank: int) -> Any:
        mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
        group = mesh["replicate", "shard"]._flatten("dp").get_group()
        made = loader(packed, 4, size=16, workers=0, shuffle=False, augment=False, group=group)
        one_dimension = EvenSampler(17, shuffle=False, uneven="once", group=mesh["shard"].get_group())
        return made.batch_sampler.sampler.indices(), one_dimension.indices()

    parts, halves = zip(*together(role), strict=True)
    assert sorted(index for part in parts for index in part) == list(range(17))
    # The ranks of one dimension share the samples, and the two such groups have the same ones.
    assert halves[0] == halves[2] != halves[1] == halves[3]

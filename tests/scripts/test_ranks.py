"""Which rank this is: found out where it is not said, and refused where what is said is not so."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist

from loaderlab.scripts import efficient_dataloader, machine, ranks, shards, webdataset_loader
from loaderlab.scripts.distributed_sampler import BucketSampler, EvenSampler
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.images import synthetic
from loaderlab.scripts.packing import pack
from loaderlab.scripts.ranks import agree, place
from numbered import numbered, numbers
from together import together

FORKED = pytest.mark.skipif(sys.platform != "linux", reason="forks, and gloo over lo")


@pytest.fixture
def second_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """As torchrun tells it, three ranks on a host."""
    for name, value in {"RANK": "1", "WORLD_SIZE": "3", "LOCAL_WORLD_SIZE": "3"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[None]:
    """A process group of one."""
    dist.init_process_group("gloo", init_method=f"file://{tmp_path / 'meeting'}", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_one_process_is_the_only_rank() -> None:
    assert place() == (0, 1) and place(2, 5) == (2, 5)


@pytest.mark.usefixtures("second_of_three")
def test_rank_and_ranks_are_those_of_torchrun(tmp_path: Path) -> None:
    pytest.importorskip("webdataset")
    pack(synthetic(tmp_path / "images", 9, 60, 50), tmp_path / "p")
    shards.write(tmp_path / "images", tmp_path / "s", 3)
    loaders = (
        loader(tmp_path / "p", 4).batch_sampler.sampler,
        webdataset_loader.loader(tmp_path / "s").dataset,
    )
    for part in (EvenSampler(9), BucketSampler([1] * 9, 2), *loaders):
        assert (part.rank, part.ranks) == (1, 3)
    assert place(rank=1) == place(ranks=3) == (1, 3)


@pytest.mark.usefixtures("second_of_three")
@pytest.mark.parametrize("given", [(0, 1), (0, 3), (1, 2), (0, None), (None, 1)])
def test_what_contradicts_torchrun_is_refused(given: tuple[int | None, int | None]) -> None:
    with pytest.raises(ValueError, match=r"This is rank 1 of 3.*Leave out"):
        place(*given)


@pytest.mark.usefixtures("second_of_three", "alone")
def test_a_process_group_knows_better_than_the_environment() -> None:
    assert place() == place(group=dist.group.WORLD) == (0, 1)
    with pytest.raises(ValueError, match="rank 0 of 1"):
        place(1, 3)


def test_ranks_without_the_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="Ranks: 3"):
        place(ranks=3)
    with pytest.raises(ValueError, match="no rank 3 among 3"):
        place(3, 3)


def has_cores(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """To which this process is bound, and the one that started it; there is no quota."""
    monkeypatch.setattr(machine, "_bound", lambda _process=0: set(range(count)))
    monkeypatch.setattr(machine, "_quotas", lambda _root, _membership: [])


def test_the_ranks_of_a_host_share_its_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(synthetic(tmp_path / "images", 9, 60, 50), tmp_path / "p")
    has_cores(monkeypatch, 8)
    monkeypatch.setattr(efficient_dataloader, "accelerator", lambda: False)
    for count, each in ((1, 8), (3, 2), (4, 2), (16, 1)):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", str(count))
        assert machine.workers() == loader(tmp_path / "p", 4).num_workers == each


@pytest.mark.parametrize(
    ("cores", "ranks", "each"), [(8, 1, 7), (16, 2, 7), (5, 1, 4), (4, 1, 4), (16, 4, 4), (1, 4, 1)]
)
def test_of_many_cores_the_process_that_feeds_an_accelerator_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: int, ranks: int, each: int
) -> None:
    pack(synthetic(tmp_path / "images", 9, 60, 50), tmp_path / "p")
    has_cores(monkeypatch, cores)
    monkeypatch.setattr(efficient_dataloader, "accelerator", lambda: True)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(ranks))
    assert loader(tmp_path / "p", 4).num_workers == machine.workers(accelerator=True) == each


STARTED = [
    {"SLURM_PROCID": "3", "SLURM_NTASKS": "8"},
    {"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_STEP_ID": "0"},
    {"OMPI_COMM_WORLD_SIZE": "8", "OMPI_COMM_WORLD_RANK": "0"},
    {"PMI_SIZE": "8"},
    {"PALS_RANKID": "0", "PALS_LOCAL_SIZE": "8"},
    {"MV2_COMM_WORLD_SIZE": "8", "MV2_COMM_WORLD_LOCAL_SIZE": "4"},
    {"JSM_NAMESPACE_SIZE": "8"},
]


@pytest.mark.parametrize(
    "told", STARTED, ids=["slurm", "slurm, the first", "mpirun", "mpiexec", "PALS", "MVAPICH", "jsrun"]
)
def test_who_does_not_know_its_rank_under_slurm_or_mpirun_is_told(
    told: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    for make in (place, lambda: EvenSampler(9), lambda: place(rank=3)):
        with pytest.raises(ValueError, match=r"together: 8.*init_process_group.*rank=0, ranks=1"):
            make()
    assert place(3, 8) == (3, 8) and place(0, 1) == (0, 1)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert place() == (1, 3)  # torchrun, within a task


@pytest.mark.usefixtures("alone")
def test_a_process_group_is_believed_under_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in STARTED[0].items():
        monkeypatch.setenv(name, value)
    assert place() == (0, 1)


@pytest.mark.parametrize(
    "told",
    [{"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, {"SLURM_NTASKS": "8"}, {"OMPI_COMM_WORLD_SIZE": "1"}],
    ids=["a batch script", "salloc", "mpirun of one"],
)
def test_a_process_by_itself_is_the_only_rank_under_slurm_too(
    told: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    assert place() == (0, 1)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("kind", ["recipe", "shards"])
def test_loaders_of_other_data_or_options_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = synthetic(tmp_path / "images", 9, 60, 50)
    if kind == "shards":
        pytest.importorskip("webdataset")
        shards.write(folder, tmp_path / "s", 3)
    pack(folder, tmp_path / "p")
    store = dist.distributed_c10d._get_default_store()

    def make(**other: object) -> object:
        """A loader of this rank, where another one has said this of its own."""
        turn = ranks._turns.get("loaderlab/all", 0) + 1
        store.set(f"loaderlab/all/{turn}/1", json.dumps(first | other))
        store.set(f"loaderlab/all/{turn + 1}/1", "1")  # workers, as for shards
        make_loader = webdataset_loader.loader if kind == "shards" else loader
        return make_loader(tmp_path / ("s" if kind == "shards" else "p"), 4, workers=0)

    monkeypatch.setattr(ranks, "_turns", {})
    first: dict[str, object] = {}
    make()
    first = json.loads(store.get("loaderlab/all/1/0"))
    monkeypatch.setattr(dist, "get_process_group_ranks", lambda _group: [0, 1])
    monkeypatch.setattr(dist, "get_world_size", lambda _group=None: 2)
    make()  # says the same
    for name, value in [("images", 8), ("seed", 1), ("batch_size", 5)]:
        with pytest.raises(ValueError, match=rf"The ranks differ in `{name}` \(0: \d; 1: {value}\)"):
            make(**{name: value})


@pytest.mark.usefixtures("alone")
def test_a_rank_that_measures_by_itself_waits_for_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(synthetic(tmp_path / "images", 9, 60, 50), tmp_path / "p")
    has_cores(monkeypatch, 1)
    monkeypatch.setattr(ranks, "_turns", {})
    assert list(efficient_dataloader.choose_workers(tmp_path / "p", 4, 2, size=32)) == [1, 2]
    assert ranks._turns == {}
    loader(tmp_path / "p", 4, workers=0)
    assert ranks._turns == {"loaderlab/all": 1}


@pytest.mark.long
@FORKED
def test_three_ranks_with_uneven_shards_and_unlike_hosts_train_in_step(tmp_path: Path) -> None:
    pytest.importorskip("webdataset")
    folder = synthetic(tmp_path / "images", 61, 60, 50)
    pack(folder, tmp_path / "p")
    shards.write(folder, tmp_path / "shards", 7)

    def role(rank: int) -> Any:
        # Others share samples apart from these: their loaders are compared among themselves.
        for members in ([0, 2], [1]):
            group = dist.new_group(members)
            if rank in members:
                apart = loader(tmp_path / "p", 4, workers=0, group=group, seed=len(members))
                assert apart.batch_sampler.sampler.ranks == len(members)
        steps = []
        for batches in (  # as on hosts with other numbers of cores
            webdataset_loader.loader(tmp_path / "shards", 4, size=32, workers=rank),
            loader(tmp_path / "p", 4, size=32, workers=rank),
        ):
            steps.append(0)
            for _epoch in range(2):
                for _images, labels in batches:
                    least, most = torch.tensor([len(labels)]), torch.tensor([len(labels)])
                    dist.all_reduce(least, dist.ReduceOp.MIN)
                    dist.all_reduce(most, dist.ReduceOp.MAX)
                    assert least == most, "batches of one size"
                    steps[-1] += 1
        with pytest.raises(ValueError, match="seed") as seeds:
            loader(tmp_path / "p", 4, workers=0, seed=rank)
        with pytest.raises(ValueError, match="samples") as samples:
            agree(samples=60 + rank)
        return steps, str(samples.value), str(seeds.value)

    differ = "The ranks differ in `samples` (0: 60; 1: 61; 2: 62). Give all of them the same data and the same options."
    found = together(role, 3)
    assert found == [(found[0][0], differ, differ.replace("samples", "seed").replace("6", ""))] * 3, found
    assert found[0][0][1] == 12


@pytest.mark.long
@FORKED
def test_a_training_that_is_stopped_twice_loses_nothing_with_other_ranks(tmp_path: Path) -> None:
    """Four ranks of unlike hosts, three of them, four again; of seven shards one rank has a single one, and begins it again."""
    pytest.importorskip("webdataset")
    shards.write(numbered(tmp_path / "images", 78), tmp_path / "shards", 7)
    epochs: list[list[int]] = [[], []]
    repeated, state = [0, 0], None
    for world, most in ((4, 3), (3, 1), (4, None)):

        def role(rank: int, state: Any = state, most: int | None = most) -> Any:
            batches = webdataset_loader.loader(tmp_path / "shards", 5, size=16, workers=rank % 3, buffer=7)
            batches.load_state_dict(state or batches.state_dict())
            came: list[tuple[int, list[int]]] = []
            again = [0, 0]
            while batches.epoch < 2 and len(came) != most:
                epoch = batches.epoch
                for images, _labels in batches:
                    everyone: list[Any] = [None] * dist.get_world_size()
                    dist.all_gather_object(everyone, [numbers(images), batches.state_dict()])
                    assert all(one[1] == everyone[0][1] for one in everyone), "one state"
                    assert len({len(mine) for mine, _state in everyone}) == 1, "batches of one size"
                    came.append((epoch, [number for mine, _state in everyone for number in mine]))
                    if len(came) == most:
                        break
                again[epoch] += batches.repeated
            return came, again, json.loads(json.dumps(batches.state_dict()))

        found = together(role, world)
        assert all(isinstance(one, tuple) and one[2] == found[0][2] for one in found), found
        for epoch, seen in found[0][0]:
            epochs[epoch] += seen
        repeated = [sum(counts) for counts in zip(repeated, *(one[1] for one in found), strict=True)]
        state = found[0][2]
    assert state and state["epoch"] == 2
    for seen, again in zip(epochs, repeated, strict=True):
        assert set(seen) == set(range(78)) and len(seen) - 78 == again
    assert repeated[1] > 0


def test_one_process_agrees_with_itself() -> None:
    agree(steps=3)

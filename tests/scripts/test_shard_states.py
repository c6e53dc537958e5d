"""A training with shards that was stopped goes on within its epoch: with the same batches, or with what nobody has seen."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("webdataset")

import hostile
from loaderlab.measuring import pinning
from loaderlab.scripts import shard_loader
from loaderlab.scripts import shards as shards_module
from loaderlab.scripts.shard_plan import Plan, Setting
from loaderlab.scripts.shards import Shards, look, write
from loaderlab.scripts.storage import Storage
from loaderlab.scripts.webdataset_loader import ShardLoader, loader
from numbered import numbered, numbers
from one_of_many import every

COUNT, SHARDS = 61, 6


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("numbered images")
    assert write(numbered(place / "images", COUNT), place / "shards", SHARDS) == []
    return place / "shards"


def made(
    shards: Path, ranks: int = 1, rank: int = 0, workers: int = 0, batch_size: int = 4, **options: Any
) -> ShardLoader:
    options = {"buffer": 5, "seed": 3, "uneven": "pad", **options}
    return loader(shards, batch_size, size=16, workers=workers, ranks=ranks, rank=rank, **options)


def taken(batches: ShardLoader, steps: int | None = None) -> list[list[int]]:
    """The numbers of an epoch's batches, or of so many."""
    found = []
    for images, _labels in batches:
        found.append(numbers(images))
        if len(found) == steps:
            break
    return found


def stopped_after(shards: Path, steps: int) -> dict[str, Any]:
    """The state of a training that was stopped after so many batches."""
    stopped = made(shards, workers=2)
    taken(stopped, steps)
    return saved(stopped.state_dict())


def saved(state: dict[str, Any]) -> dict[str, Any]:
    """As it comes back from a file."""
    return json.loads(json.dumps(state))


@pytest.mark.parametrize(
    ("shape", "workers"), every(4, product([(1, 0, 4), (4, 1, 4), (4, 2, 7)], [0, 2, 3]))
)
def test_the_same_batches_come_as_without_a_stop(
    shards: Path, shape: tuple[int, int, int], workers: int
) -> None:
    ranks, rank, size = shape
    whole = made(shards, ranks, rank, workers, size)
    epochs = [taken(whole) for _epoch in range(3)]
    last = len(epochs[1])
    for stop in {1, last // 2, last - 1, last}:
        stopped = made(shards, ranks, rank, workers, size)
        stopped.set_epoch(1)
        assert taken(stopped, stop) == epochs[1][:stop]
        resumed = made(shards, ranks, rank, workers, size)
        resumed.load_state_dict(saved(stopped.state_dict()))
        if stop == last:
            assert resumed.epoch == 2
            continue
        assert (len(resumed), resumed.left) == (last, last - stop)
        came = taken(resumed, 1)  # and stopped again
        again = made(shards, ranks, rank, workers, size)
        again.load_state_dict(saved(resumed.state_dict()))
        assert came + (taken(again) if stop < last - 1 else []) == epochs[1][stop:]
        assert taken(again) == epochs[2] and len(again) == again.left


def test_it_goes_on_with_pinned_batches_too(shards: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with a GPU, whose pin thread gets the batches that stand for those of before the stop as well."""
    monkeypatch.setattr(shard_loader, "accelerator", lambda: True)
    with pinning.pin_thread() as thread:
        whole = taken(made(shards, workers=2))
        resumed = made(shards, workers=2)
        resumed.load_state_dict(stopped_after(shards, 3))
        assert taken(resumed) == whole[3:]
        assert thread.pinned() == []  # all that were pinned are gone


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_that_has_loaded_already_goes_on_elsewhere_too(shards: Path, workers: int) -> None:
    other = made(shards, 2, 0, workers)
    epochs = [taken(other) for _epoch in range(2)]
    state = made(shards, 2, 0, workers).state_dict()
    setting = [4, 5, [max(1, workers)] * 2]
    other.load_state_dict(state | {"done": [[3, *setting]]})
    assert taken(other) == epochs[0][3:] and taken(other) == epochs[1]
    other.load_state_dict(state | {"done": [[3, 8, 5, [1]]]})  # by one rank
    rest = taken(other)
    assert sum(map(len, rest)) == -(-(COUNT - 24) // 2)
    other.set_epoch(0)
    assert taken(other) == epochs[0]


@pytest.mark.parametrize(("shuffle", "uneven"), every(2, product([True, False], ["pad", "drop", "once"])))
def test_with_other_ranks_workers_batches_and_buffers_none_is_lost(
    shards: Path, uneven: str, shuffle: bool
) -> None:
    seen: Counter[int] = Counter()
    state = made(shards, uneven=uneven, shuffle=shuffle).state_dict()
    settings = [(2, 0, 4, 5, 3), (5, 2, 2, 9, 2), (1, 0, 3, 5, 2), (1, 0, 3, 8, 2), (3, 0, 4, 5, None)]
    twice = 0
    for ranks, workers, size, buffer, steps in settings:
        parts = [
            made(shards, ranks, rank, workers, size, buffer=buffer, uneven=uneven, shuffle=shuffle)
            for rank in range(ranks)
        ]
        for part in parts:
            part.load_state_dict(saved(state))
        left = COUNT - len(seen)
        for part in parts:
            due = part.left
            came = taken(part, steps)
            assert len(came) == (steps or due)
            seen.update(number for batch in came for number in batch)
            twice += part.repeated
        states = [part.state_dict() for part in parts]
        if steps:
            assert all(one == states[0] for one in states)
            assert COUNT - len(seen) == left - ranks * size * steps
        state = states[0]
    again, out = sum(seen.values()) - len(seen), COUNT - len(seen)
    assert again == twice
    assert (again, out) == {"pad": (1, 0), "drop": (0, 2), "once": (0, 0)}[uneven]
    assert state["epoch"] == 1 and sum(map(len, taken(parts[0]))) in (20, 21)


def test_an_image_that_is_damaged_moves_no_other(shards: Path, tmp_path: Path) -> None:
    hostile.damage_shard(shutil.copytree(shards, tmp_path / "s") / "shard-000001.tar", 3)
    (rank,) = (r for r in range(2) if 1 in look(shards).dealt(3, 0, 2)[r])  # who has that shard
    for workers in (0, 2):
        damaged = made(tmp_path / "s", 2, rank, workers)
        whole = taken(damaged)
        assert damaged.left_out == damaged.repeated == 3
        assert [len(batch) for batch in whole] == [
            len(batch) for batch in taken(made(shards, 2, rank, workers))
        ]
        for stop in range(1, len(whole)):
            stopped, resumed = (made(tmp_path / "s", 2, rank, workers) for _time in range(2))
            taken(stopped, stop)
            resumed.load_state_dict(stopped.state_dict())
            assert taken(resumed) == whole[stop:]
    evaluation = made(tmp_path / "s", uneven="once", shuffle=False, augment=False)
    taken(evaluation, 13)
    with pytest.raises(ValueError, match=r"left out: 3\..*no state within this epoch"):
        evaluation.state_dict()
    taken(evaluation)
    assert evaluation.state_dict()["epoch"] == 1


def test_shards_that_were_seen_are_not_read_again(shards: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    usual = Storage.open

    def counted(self: Storage, name: str, size: int) -> Any:
        opened.append(name)
        return usual(self, name, size)

    monkeypatch.setattr(shards_module.Storage, "open", counted)
    stopped, resumed = made(shards), made(shards)
    taken(stopped, 12)  # 48 of 61 samples: four shards, and beginnings
    whole, opened[:] = list(opened), []
    resumed.load_state_dict(stopped.state_dict())
    assert sum(map(len, taken(resumed))) == COUNT - 48
    assert opened == whole[-len(opened) :] and len(opened) <= 3


@pytest.mark.parametrize(
    ("name", "options"),
    [("seed", {"seed": 4}), ("uneven", {"uneven": "drop"}), ("drop_last", {"drop_last": True})],
)
def test_a_state_of_another_order_is_refused(shards: Path, name: str, options: dict[str, Any]) -> None:
    state = made(shards).state_dict()
    with pytest.raises(ValueError, match=f"`{name}` was .*same data and the same options"):
        made(shards, **options).load_state_dict(state)
    with pytest.raises(ValueError, match="`shards` was"):
        made(shards).load_state_dict(state | {"shards": 1})


def test_more_steps_than_an_epoch_has_are_refused(shards: Path) -> None:
    state = made(shards).state_dict()
    for setting in ([17, 4, 5, [1]], [17, 4, 5, [2]]):
        with pytest.raises(ValueError, match=r"this epoch: 16 \(ranks: 1, batch size: 4\); .* 17\."):
            made(shards).load_state_dict(state | {"done": [setting]})


def settings_of_an_epoch(rng: np.random.Generator, shards: int, uneven: str) -> list[Setting]:
    """One setting for each part of an epoch that is interrupted three times at most; each rank of a training wants a shard."""
    most = 11 if uneven == "once" else shards
    return [
        Setting(
            int(rng.integers(1, 13)),
            int(rng.integers(1, 9)),
            tuple(rng.integers(1, 5, rng.integers(1, most + 1)).tolist()),
        )
        for _part in range(rng.integers(1, 5))
    ]


@pytest.mark.parametrize("chunk", every(4, range(4)))
def test_random_plans_lose_and_double_nothing(chunk: int) -> None:
    """Each plan in parts with other settings: ranks, workers, samples in a batch and in a buffer."""
    for case in range(300):
        rng = np.random.default_rng([chunk, case])
        count = int(rng.integers(1, 11))
        total = int(rng.integers(count, 120))
        samples = [len(range(k, total, count)) for k in range(count)]
        about = Shards("nowhere", [str(k) for k in range(count)], samples, samples, ["a"])
        uneven = str(rng.choice(["drop", "once", "pad", "pad"]))
        plan = Plan(about, case, 1, bool(case % 3), uneven, case % 7 == 0)
        seen = np.zeros(total, int)
        settings = settings_of_an_epoch(rng, count, uneven)
        for part, setting in enumerate(settings, 1):
            sizes = [plan.sizes(setting, rank) for rank in range(len(setting.workers))]
            assert uneven == "once" or all(one == sizes[0] for one in sizes)
            steps = int(rng.integers(0, min(map(len, sizes)) + 1)) if part < len(settings) else None
            for rank, due in enumerate(sizes):
                pieces = plan.pieces(setting, rank)
                order = [
                    n
                    for w, mine in enumerate(pieces)
                    for n in plan.mixed((n for _k, p in mine for n in p.tolist()), w, setting.buffer)
                ]
                given = plan.given(setting, rank, len(due) if steps is None else steps)
                assert len(given) == sum(due[:steps])
                if order:
                    came = np.array(order)[given % len(order)]
                    np.add.at(seen, came, 1)
                    # At the end, none has come again before all have come.
                    assert steps is not None or len(set(came.tolist())) == min(len(order), len(given))
            if steps is not None:
                plan = plan.rest(setting, steps)
                assert sorted(plan.left.tolist()) == np.flatnonzero(seen == 0).tolist()
        assert uneven == "pad" or seen.max() <= 1
        assert uneven == "drop" or plan.drop_last or seen.min() >= 1


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, int, Path]]:
    """Shards of several numbers of images."""
    place = tmp_path_factory.mktemp("many")
    found = [(5, 5), (23, 3), (40, 7), (61, 6), (78, 8), (97, 10)]
    for count, shards in found:
        write(numbered(place / f"images-{count}", count), place / f"{count}", shards)
    return [(count, shards, place / f"{count}") for count, shards in found]


def continued(place: Path, setting: Setting, state: dict[str, Any], **order: Any) -> list[ShardLoader]:
    """A loader for each rank, which goes on from the state; half of the settings have workers."""
    ranks, workers = len(setting.workers), max(0, setting.workers[0] - 2)
    parts = [
        made(place, ranks, rank, workers, setting.batch_size, buffer=setting.buffer, **order)
        for rank in range(ranks)
    ]
    for part in parts:
        part.load_state_dict(saved(state))
    return parts


def flat(ranks: list[list[list[int]]]) -> list[int]:
    return [number for batches in ranks for batch in batches for number in batch]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Shards")
@pytest.mark.parametrize("chunk", range(3))
def test_random_loaders_lose_nothing_and_say_what_they_repeat(
    many: list[tuple[int, int, Path]], chunk: int
) -> None:
    """As the random plans, with real loaders; the last part of the epoch is stopped and continued as it was, too."""
    for case in range(15):
        rng = np.random.default_rng([chunk, case])
        count, shards, place = many[rng.integers(len(many))]
        uneven, drop_last = str(rng.choice(["drop", "once", "pad", "pad"])), case % 7 == 0
        order = {"uneven": uneven, "drop_last": drop_last, "shuffle": bool(rng.integers(3))}
        state, seen = made(place, **order).state_dict(), Counter[int]()
        *interrupted, last = settings_of_an_epoch(rng, shards, uneven)
        for setting in interrupted:
            parts = continued(place, setting, state, **order)
            stop = int(rng.integers(0, max(1, min(part.left for part in parts))))
            if stop and not parts[0].epoch:
                seen.update(flat([taken(part, stop) for part in parts]))
                state = parts[0].state_dict()
        parts, before = continued(place, last, state, **order), len(seen)
        if parts[0].epoch:  # with `drop_last` nothing of it is left
            continue
        came = [taken(part) for part in parts]
        given = flat(came)
        seen.update(given)
        assert uneven == "pad" or max(seen.values(), default=1) == 1
        assert uneven == "drop" or drop_last or len(seen) == count
        said, again = sum(part.repeated for part in parts), len(given) - len(set(given))
        # Of what is left of an epoch, `drop_last` may leave out the first time that a sample comes.
        assert said == again or (drop_last and before and said > again)
        if (most := min(map(len, came))) > 1:
            stop = int(rng.integers(1, most))
            stopped = continued(place, last, state, **order)
            assert [taken(part, stop) for part in stopped] == [batches[:stop] for batches in came]
            resumed = continued(place, last, stopped[-1].state_dict(), **order)
            assert [taken(part) for part in resumed] == [batches[stop:] for batches in came]
            assert [part.repeated for part in resumed] == [part.repeated for part in parts]


def test_the_numbers_of_a_shard_are_those_in_it(shards: Path) -> None:
    found = look(shards)
    for k, name in enumerate(found.names):
        with tarfile.open(shards / name) as archive:
            keys = [
                int(member.name.removesuffix(".cls")) for member in archive if member.name.endswith(".cls")
            ]
        assert keys == found.numbers(k).tolist()

"""A training that was stopped goes on with the batch after the last one: by the names of the field, `state_dict` and `load_state_dict`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torchdata.stateful_dataloader import StatefulDataLoader

from loaderlab.scripts.distributed_sampler import BucketSampler, EvenSampler
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.images import synthetic
from loaderlab.scripts.packing import pack
from one_of_many import every

LENGTH, SIZE = 203, 8  # 13 batches of each of two ranks, the last of EvenSampler incomplete
LENGTHS = np.random.default_rng(0).integers(20, 400, LENGTH).tolist()
Sampler = EvenSampler | BucketSampler


class Numbers(torch.utils.data.Dataset):
    """Each sample is its number."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> int:
        return index


def sampler(kind: str, ranks: int = 2, rank: int = 1, size: int = SIZE, **options: Any) -> Sampler:
    if kind == "buckets":
        return BucketSampler(LENGTHS, size, ranks, rank, seed=7, **options)
    return EvenSampler(LENGTH, ranks, rank, seed=7, **options)


def stateful(of: Sampler, workers: int, persistent: bool = False) -> StatefulDataLoader:
    how = {"batch_sampler": of} if isinstance(of, BucketSampler) else {"sampler": of, "batch_size": SIZE}
    return StatefulDataLoader(Numbers(), num_workers=workers, persistent_workers=persistent, **how)


def batches(of: StatefulDataLoader) -> list[list[int]]:
    return [batch.tolist() for batch in of]


def saved(state: dict[str, Any]) -> dict[str, Any]:
    """As it comes back from a file: plain numbers survive any format."""
    return json.loads(json.dumps(state))


@pytest.mark.parametrize(
    ("kind", "stop", "workers", "persistent"),
    every(
        4,
        (
            (kind, stop, workers, persistent)
            for kind in ("even", "buckets")
            for stop in (1, 5, 12, 13, "end")
            for workers, persistent in ((0, False), (2, False), (2, True))
        ),
    ),
)
def test_a_stateful_dataloader_goes_on_with_the_next_batch(
    kind: str, stop: int | str, workers: int, persistent: bool
) -> None:
    whole = stateful(sampler(kind), 0)
    epochs = [batches(whole) for _epoch in range(4)]
    assert len(epochs[0]) == 13 and epochs[0] != epochs[1]
    stopped = stateful(sampler(kind), workers, persistent)
    batches(stopped)
    for step, batch in enumerate(stopped, 1):
        assert batch.tolist() == epochs[1][step - 1]
        if step == stop:
            break
    state = stopped.state_dict()
    del stopped
    resumed = stateful(sampler(kind), workers, persistent)
    resumed.load_state_dict(state)
    rest = [epochs[1][stop:]] if isinstance(stop, int) else []
    for expected in [*rest, *epochs[2:]]:
        assert batches(resumed) == expected


def taken(of: Sampler, steps: int, size: int = SIZE) -> list[int]:
    """The samples of so many steps, taken one by one as a loop does."""
    iterator = iter(of)
    if isinstance(of, BucketSampler):
        return [index for _step in range(steps) for index in next(iterator)]
    return [next(iterator) for _sample in range(steps * size)]


def flat(items: list[Any]) -> list[int]:
    return [index for item in items for index in (item if isinstance(item, list) else [item])]


@pytest.mark.parametrize("kind", ["even", "buckets"])
def test_a_state_continues_exactly_and_as_often_as_wanted(kind: str) -> None:
    whole = sampler(kind)
    whole.set_epoch(3)
    expected = [flat(list(whole)), flat(list(whole))]
    state, came = {**sampler(kind).state_dict(), "epoch": 3}, []
    for _stop in range(3):
        part = sampler(kind)
        part.load_state_dict(saved(state))
        came += taken(part, 4)
        state = part.state_dict()
    last = sampler(kind)
    last.load_state_dict(saved(state))
    assert [came + flat(list(last)), flat(list(last))] == expected
    assert last.state_dict()["epoch"] == 5


@pytest.mark.parametrize("uneven", ["pad", "drop", "once", None])
def test_a_state_continues_with_another_number_of_ranks(uneven: str | None) -> None:
    kind, options = ("even", {"uneven": uneven}) if uneven else ("buckets", {})
    seen: Counter[int] = Counter()
    state = sampler(kind, 2, 0, **options).state_dict()
    for ranks in (2, 5, 3):
        parts = [sampler(kind, ranks, rank, **options) for rank in range(ranks)]
        for part in parts:
            part.load_state_dict(saved(state))
        for part in parts:
            seen.update(flat(list(part)) if ranks == 3 else taken(part, 3))
        state = parts[0].state_dict()
        assert len({json.dumps(part.state_dict()) for part in parts}) == 1
    again, out = sum(seen.values()) - len(seen), LENGTH - len(seen)
    most = 3 * SIZE if kind == "buckets" else 3
    assert (out == 0 or uneven == "drop") and out < 3
    assert (again == 0 or uneven in ("pad", None)) and again < most


def test_buckets_continue_with_another_batch_size() -> None:
    seen: Counter[int] = Counter()
    first = [sampler("buckets", 2, rank) for rank in range(2)]
    for part in first:
        seen.update(taken(part, 5))
    second = [sampler("buckets", 2, rank, size=5) for rank in range(2)]
    for part in second:
        part.load_state_dict(saved(first[0].state_dict()))
        seen.update(taken(part, 4))
    third = [sampler("buckets", 3, rank, size=5) for rank in range(3)]
    for part in third:
        part.resume_at(0)
        part.resume(0, (5, 2, 8), (4, 2))
        assert part.state_dict()["done"][:2] == second[0].state_dict()["done"]
        seen.update(flat(list(part)))
    assert set(seen) == set(range(LENGTH)) and sum(seen.values()) - LENGTH < 3 * 5


def test_more_steps_than_an_epoch_has_are_refused() -> None:
    buckets = sampler("buckets")
    with pytest.raises(
        ValueError,
        match=r"this epoch: 13 \(ranks: 2, batch size: 8\); steps made already, as you gave them: 14\. If the batch size",
    ):
        buckets.resume(4, (14, 2))
    assert (buckets.epoch, len(buckets)) == (4, 13)  # as if nothing had been said of the steps


@pytest.mark.parametrize(
    ("kind", "other", "name"),
    [
        ("even", lambda: EvenSampler(LENGTH, 2, 1, seed=8), "seed"),
        ("even", lambda: EvenSampler(LENGTH + 1, 2, 1, seed=7), "length"),
        ("even", lambda: EvenSampler(LENGTH, 2, 1, seed=7, shuffle=False), "shuffle"),
        ("even", lambda: sampler("buckets"), "lengths"),
        ("buckets", lambda: sampler("even"), "shuffle"),
        ("buckets", lambda: sampler("buckets", pool=3), "pool"),
        ("buckets", lambda: BucketSampler([*LENGTHS[1:], 3], SIZE, 2, 1, seed=7), "lengths"),
    ],
)
def test_a_state_of_another_order_is_refused(kind: str, other: Callable[[], Sampler], name: str) -> None:
    state = sampler(kind).state_dict()
    with pytest.raises(ValueError, match=f"`{name}` was .*same data and the same options"):
        other().load_state_dict(state)


@pytest.mark.parametrize("kind", ["even", "buckets"])
def test_the_length_is_what_is_left(kind: str) -> None:
    of = sampler(kind)
    steps = 13 if kind == "buckets" else 102
    each = 1 if kind == "buckets" else SIZE
    assert len(of) == steps
    of.resume_at(13 + 5, **({} if kind == "buckets" else {"batch_size": SIZE}))
    assert len(of) == steps - 5 * each == len(list(iter(of)))
    assert len(of) == steps  # of the epoch that follows
    # A framework counts an epoch from its beginning: Lightning would end this one, and each after it, 5 batches early.
    taken(of, 5)
    loaded = sampler(kind)
    loaded.load_state_dict(of.state_dict())
    assert (len(loaded), loaded.left) == (steps, steps - 5 * each)
    assert len(list(loaded)) == steps - 5 * each and loaded.left == len(loaded) == steps


@pytest.mark.parametrize("kind", ["even", "buckets"])
def test_a_loop_that_sets_the_epoch_does_not_lose_the_place(kind: str) -> None:
    stopped, resumed = sampler(kind), sampler(kind)
    list(stopped)
    taken(stopped, 5)
    resumed.load_state_dict(stopped.state_dict())
    for epoch in (1, 2):  # as trainers do it
        resumed.set_epoch(epoch)
        left = list(resumed)
        stopped.set_epoch(epoch)
        assert flat(left) == flat(list(stopped))[5 * SIZE * (epoch == 1) :]
    resumed.load_state_dict(stopped.state_dict())
    resumed.set_epoch(7)
    assert len(list(resumed)) == len(stopped)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pack")
    pack(synthetic(place / "images", 22, 60, 50), place / "p")
    return place / "p"


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stop", [1, 4, 5, 6])
def test_the_recipe_goes_on_with_the_next_batch(packed: Path, workers: int, stop: int) -> None:
    whole = loader(packed, 4, size=32, workers=0)
    expected = [images.clone() for _epoch in range(3) for images, _labels in whole]  # 6 in an epoch
    stopped = loader(packed, 4, size=32, workers=workers)
    list(stopped)
    for step, _batch in enumerate(stopped, 1):
        if step == stop:
            break
    state = saved(stopped.state_dict())
    resumed = loader(packed, 4, size=32, workers=2 - workers)
    resumed.load_state_dict(state)
    rest = expected[6 + stop : 12] or expected[12:]
    assert (len(resumed), resumed.batch_sampler.left) == (6, len(rest))
    assert all(torch.equal(one, other) for (one, _l), other in zip(resumed, rest, strict=True))


def test_the_recipe_goes_on_with_another_number_of_ranks(packed: Path) -> None:
    before = [loader(packed, 4, size=32, workers=0, ranks=2, rank=rank, augment=False) for rank in range(2)]
    sums = Counter()
    for batches_of in before:
        for step, (images, _labels) in enumerate(batches_of, 1):
            sums.update(image.sum().item() for image in images)
            if step == 2:
                break
    assert before[0].state_dict() == before[1].state_dict()
    after = [loader(packed, 3, size=32, workers=0, ranks=3, rank=rank, augment=False) for rank in range(3)]
    for batches_of in after:
        batches_of.load_state_dict(before[0].state_dict())
        for images, _labels in batches_of:
            sums.update(image.sum().item() for image in images)
    assert len(sums) == 22 and sum(sums.values()) == 22  # 16 were seen; 6 for three ranks

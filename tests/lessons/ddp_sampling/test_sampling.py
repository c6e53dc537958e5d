"""The order of the samples is computed without torch, and is torch's."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch.utils.data import BatchSampler, DistributedSampler

from loaderlab.lessons.ddp_sampling.exercises import resumed
from loaderlab.lessons.ddp_sampling.permutation import randperm
from loaderlab.lessons.ddp_sampling.sampling import orders


def sampler(
    length: int, ranks: int, rank: int, shuffle: bool, drop_last: bool, epoch: int, seed: int
) -> DistributedSampler[int]:
    made: DistributedSampler[int] = DistributedSampler(
        range(length), ranks, rank, shuffle=shuffle, seed=seed, drop_last=drop_last
    )
    made.set_epoch(epoch)
    return made


@pytest.mark.parametrize("seed", [0, 1, 47, 2**31 + 5])
def test_a_permutation_is_that_of_torch(seed: int) -> None:
    for length in (0, 1, 2, 7, 1000, 5000):
        expected = torch.randperm(length, generator=torch.Generator().manual_seed(seed)).tolist()
        assert randperm(length, seed) == expected


@pytest.mark.parametrize(("shuffle", "drop_last"), list(itertools.product([False, True], repeat=2)))
def test_each_rank_gets_what_its_sampler_gives(shuffle: bool, drop_last: bool) -> None:
    for length, ranks, epoch in itertools.product(range(1, 41), (1, 2, 3, 4, 8), (0, 3)):
        found = orders(length, ranks, shuffle=shuffle, drop_last=drop_last, epoch=epoch, seed=5)
        assert found == [
            list(sampler(length, ranks, rank, shuffle, drop_last, epoch, seed=5)) for rank in range(ranks)
        ]


def test_an_epoch_is_resumed_as_the_batches_of_torch_would_be() -> None:
    for steps, length, batch, ranks in itertools.product((0, 1, 5, 17), (10, 33), (1, 4), (1, 3)):
        for rank in range(ranks):
            batches = BatchSampler(sampler(length, ranks, rank, True, False, 0, 2), batch, drop_last=False)
            epoch, done = divmod(steps, len(batches))
            batches = BatchSampler(
                sampler(length, ranks, rank, True, False, epoch, 2), batch, drop_last=False
            )
            assert resumed(steps, length, batch, ranks, rank, seed=2) == (epoch, list(batches)[done:])


def test_the_seed_of_the_program_does_not_reach_the_sampler() -> None:
    torch.manual_seed(1)
    before = list(sampler(40, 4, 0, True, False, 0, seed=0))
    torch.manual_seed(2)
    assert list(sampler(40, 4, 0, True, False, 0, seed=0)) == before
    assert list(sampler(40, 4, 0, True, False, 0, seed=1)) != before


def test_with_a_seed_for_each_rank_about_a_third_of_the_samples_is_seen_by_nobody() -> None:
    shares = []
    for first in range(0, 80, 4):
        seen = {
            index for rank in range(4) for index in sampler(400, 4, rank, True, False, 0, seed=first + rank)
        }
        shares.append(1 - len(seen) / 400)
    assert 0.28 < sum(shares) / len(shares) < 0.35  # (3/4)**4 = 0.32

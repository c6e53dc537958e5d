"""The samplers: even on all ranks, every sample seen, and what is repeated or left out is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import hostile
from loaderlab.scripts.distributed_sampler import BucketSampler, EvenSampler, filled, main

CASES = [(10, 4), (3, 8), (1, 1), (7, 7), (1003, 4), (5, 1)]


@pytest.mark.parametrize(("length", "ranks"), CASES)
def test_padding_shows_every_sample_and_says_how_many_twice(length: int, ranks: int) -> None:
    parts = [EvenSampler(length, ranks, rank) for rank in range(ranks)]
    orders = [list(part) for part in parts]
    seen = Counter(sum(orders, []))
    assert {len(order) for order in orders} == {len(parts[0])} and set(seen) == set(range(length))
    assert sum(seen.values()) - length == parts[0].padding and max(seen.values()) - min(seen.values()) <= 1


@pytest.mark.parametrize(("length", "ranks"), [case for case in CASES if case[0] >= case[1]])
def test_dropping_shows_no_sample_twice_and_says_how_many_are_left_out(length: int, ranks: int) -> None:
    parts = [EvenSampler(length, ranks, rank, uneven="drop") for rank in range(ranks)]
    orders = [list(part) for part in parts]
    seen = sum(orders, [])
    assert {len(order) for order in orders} == {len(parts[0])} and len(seen) == len(set(seen))
    assert len(seen) - length == parts[0].padding <= 0


@pytest.mark.parametrize(("length", "ranks"), CASES)
def test_once_shows_every_sample_once(length: int, ranks: int) -> None:
    parts = [EvenSampler(length, ranks, rank, uneven="once") for rank in range(ranks)]
    orders = [list(part) for part in parts]
    assert sorted(sum(orders, [])) == list(range(length)) and parts[0].padding == 0
    assert [len(part) for part in parts] == [len(order) for order in orders]
    assert {part.epoch for part in parts} == {1}


def test_what_cannot_be_is_refused() -> None:
    for wrong in (
        lambda: EvenSampler(3, 8, uneven="drop"),
        lambda: EvenSampler(0),
        lambda: EvenSampler(4, 2, 2),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            wrong()
    with pytest.raises(ValueError, match="uneven"):
        EvenSampler(4, uneven="other")
    with pytest.raises(ValueError, match="no sample"):
        BucketSampler([], 4)


def make(kind: str, rank: int = 0) -> EvenSampler | BucketSampler:
    lengths = np.random.default_rng(0).integers(20, 400, 203).tolist()
    return EvenSampler(203, 2, rank, seed=7) if kind == "even" else BucketSampler(lengths, 8, 2, rank, seed=7)


@pytest.mark.parametrize("kind", ["even", "buckets"])
def test_epochs_go_on_by_themselves_and_can_be_set(kind: str) -> None:
    sampler = make(kind)
    epochs = [list(sampler) for _epoch in range(3)]
    assert len({str(epoch) for epoch in epochs}) == 3
    sampler.set_epoch(1)
    assert [list(sampler), list(sampler)] == epochs[1:]
    assert list(EvenSampler(6, 2, 1, shuffle=False)) == [1, 3, 5]


@pytest.mark.parametrize("kind", ["even", "buckets"])
def test_an_epoch_that_is_broken_off_begins_again(kind: str) -> None:
    looked, other = make(kind), make(kind)
    next(iter(looked))
    assert [list(looked), list(looked)] == [list(other), list(other)]
    looked.set_epoch(4)
    iterator = iter(looked)
    for _step in range(len(looked)):  # who takes as many as there are never asks for one more
        next(iterator)
    assert looked.epoch == 5
    iterator = iter(looked)
    next(iterator)
    looked.set_epoch(9)  # said while an epoch is under way
    list(iterator)
    assert looked.epoch == 9


def test_who_breaks_off_every_epoch_is_warned_and_not_who_looks_once(
    recwarn: pytest.WarningsRecorder,
) -> None:
    sampler = make("even")
    for _epoch in range(2):
        next(iter(sampler))
    assert not recwarn.list
    with pytest.warns(UserWarning, match="Epoch 0 was broken off twice.*set_epoch"):
        next(iter(sampler))
    unshuffled = EvenSampler(9, shuffle=False)
    for epoch in range(4):
        next(iter(unshuffled))
        sampler.set_epoch(epoch)
        next(iter(sampler))
    assert not recwarn.list


@pytest.mark.parametrize("steps", [0, 1, 12, 13, 14, 25, 26, 30])
def test_resuming_gives_what_was_left(steps: int) -> None:
    whole = make("even")
    per_epoch = -(-len(whole) // 8)
    order = [
        [epoch[k : k + 8] for k in range(0, len(epoch), 8)] for epoch in (list(whole) for _epoch in range(4))
    ]
    again = make("even")
    again.resume_at(steps, 8)
    left = list(again)
    assert [left[k : k + 8] for k in range(0, len(left), 8)] == order[steps // per_epoch][steps % per_epoch :]
    assert list(again) == sum(order[steps // per_epoch + 1], [])
    buckets, resumed = make("buckets"), make("buckets")
    epochs = [list(buckets) for _epoch in range(4)]
    resumed.resume_at(steps)
    assert list(resumed) == epochs[steps // len(buckets)][steps % len(buckets) :]


def test_resuming_after_a_step_count_knows_how_many_ranks_there_were() -> None:
    before = [EvenSampler(604, 2, rank) for rank in range(2)]
    epochs = [[list(part) for part in before] for _epoch in range(2)]  # 302 samples each: 10 steps of 32
    after = [EvenSampler(604, 3, rank) for rank in range(3)]
    for part in after:
        part.resume_at(15, 32, ranks=2)
    seen = sum([order[: 5 * 32] for order in epochs[1]], []) + sum(map(list, after), [])
    assert set(seen) == set(range(604)) and len(seen) - 604 < 3
    assert {part.epoch for part in after} == {2}
    buckets = BucketSampler(range(1, 604), 16, 3, 0)  # 19 steps of two ranks
    buckets.resume_at(25, ranks=2)
    assert (buckets.epoch, buckets.done) == (1, ((6, 2, 16),))
    padded = EvenSampler(10, 4, 0)
    padded.resume(2, 12)  # more than there are: all were seen
    assert (padded.epoch, padded.done) == (3, 0)


@pytest.mark.parametrize("done", [((4, 2),), ((2, 2), (1, 4))])
def test_buckets_of_which_nothing_is_left_go_on_with_the_next_epoch(
    done: tuple[tuple[int, int], ...],
) -> None:
    lengths = list(range(1, 33))
    resumed, fresh = BucketSampler(lengths, 4, 2, 0), BucketSampler(lengths, 4, 2, 0)
    resumed.resume(0, *done)
    fresh.set_epoch(1)
    assert resumed.epoch == 1 and list(resumed) == list(fresh)


@pytest.mark.parametrize("option", ["--ranks", "--batch-size", "--samples"])
@pytest.mark.parametrize("given", ["0", "-1", "two"])
def test_what_is_no_count_is_refused(option: str, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([f"{option}={given}"])
    assert f"{given!r} is no whole number from 1 up" in capsys.readouterr().err


def test_no_rank_has_the_shortest_or_the_longest_samples_of_all_steps() -> None:
    lengths = [1 + i**2 % 97 for i in range(3003)]
    plans = [list(BucketSampler(lengths, 8, 4, rank)) for rank in range(4)]
    longest = [[max(lengths[i] for i in batch) for batch in plan] for plan in plans]
    counts = Counter(int(np.argmax(step)) for step in zip(*longest, strict=True))
    assert min(counts[rank] for rank in range(4)) > 0.1 * len(plans[0])


@pytest.mark.parametrize(
    ("length", "size", "ranks"), [(203, 8, 2), (5, 4, 3), (1, 4, 2), (64, 4, 4), (1000, 16, 1)]
)
def test_steps_of_similar_lengths_are_even_and_complete(length: int, size: int, ranks: int) -> None:
    lengths = np.random.default_rng(1).integers(20, 400, length).tolist()
    parts = [BucketSampler(lengths, size, ranks, rank) for rank in range(ranks)]
    plans = [list(part) for part in parts]
    assert {len(plan) for plan in plans} == {len(parts[0])}
    assert {len(batch) for plan in plans for batch in plan} == {size}
    seen = Counter(i for plan in plans for batch in plan for i in batch)
    assert set(seen) == set(range(length)) and sum(seen.values()) - length == parts[0].padding
    assert max(seen.values()) - min(seen.values()) <= 1
    if length >= 200:
        steps = [sum(step, []) for step in zip(*plans, strict=True)]
        order = np.random.default_rng(2).permutation(length).tolist()
        random = [order[k : k + size * ranks] for k in range(0, length, size * ranks)]
        assert filled(steps, lengths) < 0.5 * filled(random, lengths)


def test_the_lesson_accepts_the_bucket_sampler() -> None:
    from loaderlab.lessons.ddp_sampling.exercises import EXERCISES

    def deal(lengths: list[int], size: int, ranks: int, rank: int, epoch: int) -> list[list[int]]:
        sampler = BucketSampler(lengths, size, ranks, rank)
        sampler.set_epoch(epoch)
        return list(sampler)

    exercise = next(e for e in EXERCISES if e.name == "deal_better")
    findings = exercise.judge(exercise.probe.run(deal))
    assert all(finding.passed for finding in findings), findings


def test_the_script_says_what_each_rank_sees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--samples", "10", "--ranks", "4", "--batch-size", "2"]) == 0
    assert "samples of each rank: [3]; steps: [2]; repeated: 2; left out: 0" in capsys.readouterr().out
    assert main(["--samples", "10", "--ranks", "4", "--batch-size", "2", "--uneven", "drop"]) == 0
    assert "samples of each rank: [2]; steps: [1]; repeated: 0; left out: 2" in capsys.readouterr().out
    folder = hostile.folder(tmp_path / "photos")
    assert main(["--folder", str(folder), "--ranks", "2"]) == 0
    captured = capsys.readouterr()
    # Heads only: a file that is cut off later still has one.
    for name in hostile.BAD - {"cut.jpg"}:
        assert any(name in line for line in captured.err.splitlines())
    assert f"Samples: {hostile.GOOD + 1};" in captured.out
    assert main(["--folder", str(folder), "--strict"]) == 1
    assert main(["--folder", str(tmp_path / "nowhere")]) == 1
    (tmp_path / "empty").mkdir()
    assert main(["--folder", str(tmp_path / "empty")]) == 1
    assert "empty: no readable image" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="gloo without libuv")
def test_ranks_started_by_torchrun_agree_with_the_simulated_ones() -> None:
    script = ["-m", "loaderlab.scripts.distributed_sampler", "--samples", "101", "--epochs", "1"]
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    settings = {"OMP_NUM_THREADS": "1", "PET_LOCAL_ADDR": "127.0.0.1"}
    settings |= {"GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    options = {
        "capture_output": True,
        "text": True,
        "timeout": 600,
        "check": True,
        "env": os.environ | settings,
    }
    together = subprocess.run([sys.executable, *launch, *script], **options).stdout
    alone = subprocess.run([sys.executable, *script, "--ranks", "2"], **options).stdout
    assert together == alone and "repeated: 1" in alone

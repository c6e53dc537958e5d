"""The samplers: even on all ranks, every sample seen, and what is repeated or left out is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import hostile
import numpy as np
import pytest
import torch

from loaderlab.scripts.distributed_sampler import BucketSampler, EvenSampler, filled, main

CASES = [(10, 4), (3, 8), (1, 1), (7, 7), (1003, 4), (5, 1)]


@pytest.mark.parametrize("length, ranks", CASES)
def test_padding_shows_every_sample_and_says_how_many_twice(length: int, ranks: int) -> None:
    parts = [EvenSampler(length, ranks, rank) for rank in range(ranks)]
    orders = [list(part) for part in parts]
    seen = Counter(sum(orders, []))
    assert {len(order) for order in orders} == {len(parts[0])} and set(seen) == set(range(length))
    assert sum(seen.values()) - length == parts[0].padding and max(seen.values()) - min(seen.values()) <= 1


@pytest.mark.parametrize("length, ranks", [case for case in CASES if case[0] >= case[1]])
def test_dropping_shows_no_sample_twice_and_says_how_many_are_left_out(length: int, ranks: int) -> None:
    parts = [EvenSampler(length, ranks, rank, uneven="drop") for rank in range(ranks)]
    orders = [list(part) for part in parts]
    seen = sum(orders, [])
    assert {len(order) for order in orders} == {len(parts[0])} and len(seen) == len(set(seen))
    assert len(seen) - length == parts[0].padding <= 0


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


def test_the_recipe_resumes_too(tmp_path: Path) -> None:
    from loaderlab.scripts.efficient_dataloader import loader
    from loaderlab.scripts.images import synthetic
    from loaderlab.scripts.packing import pack

    pack(synthetic(tmp_path / "images", 22, 60, 50), tmp_path / "p")
    whole, again = (loader(tmp_path / "p", 4, size=32, workers=n) for n in (0, 2))
    batches = [images.clone() for _epoch in range(2) for images, _labels in whole]
    again.batch_sampler.sampler.resume_at(8, 4)
    assert all(torch.equal(a, b) for (a, _l), b in zip(again, batches[8:], strict=True))


@pytest.mark.parametrize(
    "length, size, ranks", [(203, 8, 2), (5, 4, 3), (1, 4, 2), (64, 4, 4), (1000, 16, 1)]
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

    exercise = next(e for e in EXERCISES if e.name == "DistributedBucketSampler")
    findings = exercise.judge(exercise.probe.run(BucketSampler))
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
    for name in hostile.BAD - {"cut.jpg"} - ({"nowhere.jpg"} if os.name == "nt" else set()):
        assert any(name in line for line in captured.err.splitlines())
    assert f"Samples: {hostile.GOOD + 1};" in captured.out
    assert main(["--folder", str(folder), "--strict"]) == 1
    assert main(["--folder", str(tmp_path / "nowhere")]) == 1
    (tmp_path / "empty").mkdir()
    assert main(["--folder", str(tmp_path / "empty")]) == 1
    assert "empty: no readable image" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="gloo without libuv")
def test_ranks_started_by_torchrun_agree_with_the_simulated_ones() -> None:
    script = ["-m", "loaderlab.scripts.distributed_sampler", "--samples", "101", "--epochs", "1"]
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    settings = {"OMP_NUM_THREADS": "1", "PET_LOCAL_ADDR": "127.0.0.1"}
    settings |= {"GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}
    options = {
        "capture_output": True,
        "text": True,
        "timeout": 120,
        "check": True,
        "env": os.environ | settings,
    }
    together = subprocess.run([sys.executable, *launch, *script], **options).stdout
    alone = subprocess.run([sys.executable, *script, "--ranks", "2"], **options).stdout
    assert together == alone and "repeated: 1" in alone

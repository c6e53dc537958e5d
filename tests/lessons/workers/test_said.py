"""Lesson 1: what its text says of loaders and of its recording, and shows no longer, or shows in a picture that is not compared."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader

import loaderlab as lab
from loaderlab import course
from loaderlab.measuring.measure import Spread, spreads


def draws(num_workers: int) -> list[tuple[float, ...]]:
    """The draws of torch, random and NumPy in an epoch that begins with a seed of torch."""
    torch.manual_seed(0)
    loader = DataLoader(lab.data.RandomDraws(8), batch_size=None, num_workers=num_workers)
    return list(zip(*(sample.tolist() for sample in loader), strict=True))


@pytest.mark.parametrize(("num_workers", "agree"), [(0, [True, False, False]), (2, [True, True, True])])
def test_the_seed_of_torch_is_that_of_the_workers(num_workers: int, agree: list[bool]) -> None:
    assert [one == two for one, two in zip(draws(num_workers), draws(num_workers), strict=True)] == agree


def test_leaving_a_loop_waits_for_workers_that_end() -> None:
    def left(persistent: bool) -> list[bool]:
        """Which workers run on when the loop has been left."""
        loader = DataLoader(lab.data.SleepDataset(40, 0.5), num_workers=2, persistent_workers=persistent)
        iterator = iter(loader)
        next(iterator)
        workers = list(iterator._workers)
        del iterator
        return [worker.is_alive() for worker in workers]

    assert (left(persistent=False), left(persistent=True)) == ([False, False], [True, True])


def test_a_slow_worker_makes_as_many_batches_in_order_and_fewer_as_they_are_ready() -> None:
    def made(in_order: bool) -> list[int]:
        dataset = lab.data.WorkerDataset(length=120, seconds=0.002, slow_worker=0)
        loader = DataLoader(dataset, batch_size=4, num_workers=3, in_order=in_order)
        workers = [int(batch[0]) for batch in loader]
        return [workers.count(worker) for worker in range(3)]

    assert made(in_order=True) == [10, 10, 10]
    assert made(in_order=False)[0] < 10


def test_the_recording_of_the_training_is_as_the_text_says() -> None:
    [path] = course.lesson("workers").recordings
    recording: dict[str, Any] = json.loads(path.read_text("utf-8"))
    rows, batches = recording["rows"], recording["arguments"]["batches"]
    limit = Spread.of(row["limit"] for row in rows if "limit" in row).median
    rates, waits = (spreads(rows, "num_workers", column) for column in ("samples_per_second", "wait_share"))

    def step(workers: int) -> float:
        """The step, as a multiple of that of the limit."""
        return (1 - waits[workers].median / 100) * limit / rates[workers].median

    assert (
        waits[16].high < 6 and rates[16].high < 0.7 * limit
    )  # it hardly waits, and is still far below its limit
    assert step(0) == pytest.approx(step(16), rel=0.05)  # "without workers the step is as slow"
    assert min(map(step, rates)) > 1.3  # "longer with any number of workers"
    assert 0.2 < 8 * batches / rates[8].median < 0.3  # "a quarter of a second"
    assert {rate.n for rate in rates.values()} == {2}  # "two repeats"
    assert max(rate.high / rate.low for rate in rates.values()) == pytest.approx(1.37, abs=0.005)
    assert rates[8].high > 8 * rates[1].high
    promised = {n: 1 / (1 - waits[n].median / 100) for n in (0, 16)}
    possible = {n: limit / rates[n].median for n in (0, 16)}
    text = (course.lesson("workers").folder / "lesson.md").read_text("utf-8")
    assert (
        f"the estimate is {promised[0]:.1f} times, and by the limit {possible[0]:.1f} times could be gained; "
        f"with 16 workers, it is {promised[16]:.2f} and {possible[16]:.2f} times."
    ) in text

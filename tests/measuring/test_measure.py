"""The clock, the first batches, and what a rate divides by."""

import gc
import multiprocessing
import os
import signal
import statistics
import threading
import time
from multiprocessing.process import BaseProcess

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from loaderlab import data
from loaderlab.data import SleepDataset
from loaderlab.measuring import measure
from loaderlab.measuring.iterating import keeping
from waiting import within


class Processes(Dataset):
    """So many items: each is the number of the process that made it."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        return os.getpid()


class Clock:
    """A ``time`` that stands still until somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_waiting_and_computing_are_told_apart(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    monkeypatch.setattr(data, "time", clock)
    run = measure.epoch(DataLoader(data.SleepDataset(12, 10), batch_size=2), lambda batch: clock.sleep(5))
    assert run.batches == 6 and run.samples == [2] * 6
    assert (run.waits, run.steps) == ([20] * 6, [5] * 6)
    assert run.wait_share == 0.8


def test_rate_divides_by_what_was_delivered():
    loader = DataLoader(SleepDataset(8, 0.01), batch_size=2)
    run = measure.epoch(loader, batches=100)
    assert run.batches == 4
    assert run.samples_per_second == pytest.approx(6 / (sum(run.waits[1:]) + sum(run.steps[:-1])))


def test_stops_after_the_batches_asked_for():
    assert measure.epoch(range(10), batches=3).batches == 3


def test_batches_loaded_while_the_first_is_awaited_do_not_count_as_speed():
    """Four workers, one batch each: with only the first apart, the other three would seem to cost nothing."""
    run = measure.epoch(DataLoader(SleepDataset(8, 0.05), batch_size=1, num_workers=4))
    assert run.apart == 4
    assert run.samples_per_second == pytest.approx(4 / (sum(run.waits[4:]) + sum(run.steps[3:-1])))


def test_rate_and_share_run_from_arrival_to_arrival():
    """Two batches apart: what counts is two arrivals, their waits (2 + 3) and the steps before them (6 + 7)."""
    run = measure.Epoch(waits=[10, 1, 2, 3], steps=[5, 6, 7, 100], samples=[4, 4, 4, 4], apart=2)
    assert run.samples_per_second == pytest.approx(8 / 18)
    assert run.wait_share == pytest.approx(5 / 18)
    assert (run.batches, run.first, run.seconds) == (4, 10, 134)


def test_several_batches_are_held_and_go_round_and_no_worker_stays():
    """A step may depend on its batch: held alone, the first one is no limit."""
    held = measure.held(DataLoader(range(12), 2, num_workers=1), batches=3)
    seen = []
    measure.epoch(held, lambda batch: seen.append(batch.tolist()), batches=7)
    assert seen == [[0, 1], [2, 3], [4, 5]] * 2 + [[0, 1]]
    assert not multiprocessing.active_children()


class Queue:
    """A device that works off what is ordered, while the clock of the program goes on; as a GPU does."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.free, self.finished_at = clock, 0.0, []

    def launch(self, seconds: float) -> None:
        self.free = max(self.free, self.clock.now) + seconds

    def finish(self) -> None:
        self.clock.now = max(self.clock.now, self.free)
        self.finished_at.append(self.clock.now)


class Source:
    """A loader in the main process: each batch of 8 takes `load` seconds; what happens after the last one takes `end`."""

    def __init__(self, clock: Clock, load: float, batches: int = 40, end: float = 0.0) -> None:
        self.clock, self.load, self.batches, self.end = clock, load, batches, end

    def __iter__(self):
        for _batch in range(self.batches):
            self.clock.sleep(self.load)
            yield [0] * 8
        self.clock.sleep(self.end)


class Sized(Source):
    def __len__(self) -> int:
        return self.batches


@pytest.mark.parametrize(("load", "step", "gain"), [(5, 10, 1.0), (8, 10, 1.0), (16, 10, 1.6)])
@pytest.mark.parametrize("loader", [Source, Sized])
def test_on_a_device_with_a_queue_the_gain_is_that_of_whole_epochs(monkeypatch, loader, load, step, gain):
    """A share of waiting would promise 1.5, 1.8 and 2.6 times where each step is synchronised, and more where none is."""

    def rate(seconds: float) -> float:
        clock = Clock()
        monkeypatch.setattr(measure, "time", clock)
        device = Queue(clock)
        run = measure.epoch(loader(clock, seconds), lambda batch: device.launch(step), finish=device.finish)
        assert len(device.finished_at) == 2  # never between the steps: that would take the overlap away
        return run.samples_per_second

    # Between the first counted arrival, that of the second batch, and the end there is one step more than there are loads.
    loop = 38 * max(load, step) + step
    assert rate(load) == pytest.approx(39 * 8 / loop)
    assert rate(0) / rate(load) == pytest.approx(gain, rel=0.02)


@pytest.mark.parametrize("on_a_device", [False, True])
def test_a_slow_first_step_counts_neither_for_the_rate_nor_for_the_share(monkeypatch, on_a_device):
    """It compiles for 2000: a first epoch that counted it would be compared with a second one that is warm."""
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    device, calls = Queue(clock), []

    def step(batch):
        calls.append(batch)
        clock.sleep(2000 if len(calls) == 1 else 10)

    def pass_over(load):
        return measure.epoch(Source(clock, load), step, finish=device.finish if on_a_device else None)

    first, second, limit = pass_over(2), pass_over(2), pass_over(0)
    assert first.steps[0] == 2000
    assert (first.samples_per_second, first.wait_share) == (second.samples_per_second, second.wait_share)
    assert limit.samples_per_second / first.samples_per_second == pytest.approx(1.2, rel=0.01)


def test_what_the_first_batches_left_in_the_queue_does_not_count(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    device, loader = Queue(clock), Sized(clock, 0, batches=8)
    loader.num_workers = 4
    run = measure.epoch(loader, lambda batch: device.launch(10), finish=device.finish)
    assert device.finished_at == [30, 80] and run.samples_per_second == pytest.approx(8 / 10)


def test_the_end_of_the_workers_is_no_part_of_the_epoch(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    device = Queue(clock)
    run = measure.epoch(Sized(clock, 1, end=500), lambda batch: device.launch(10), finish=device.finish)
    assert run.samples_per_second == pytest.approx(8 / 10)


def test_fewer_batches_than_the_loader_promised_are_finished_as_well(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    device = Queue(clock)
    run = measure.epoch(Source(clock, 1), lambda batch: device.launch(10), batches=100, finish=device.finish)
    assert run.samples_per_second == pytest.approx(8 / 10) and device.finished_at[-1] == device.free


def test_fewer_batches_than_are_set_apart_give_no_rate():
    run = measure.epoch([torch.zeros(3)])
    assert run.batches == 1 and run.samples_per_second == 0 and run.wait_share == 0


def test_plain_loops_run_at_once_and_their_rates_add_up():
    """A sample waits 10 ms: more than 100 samples/s take two processes at once, and four reach 400 at most."""
    loops = measure.plain_loops(SleepDataset(50, 0.01), processes=4)
    with keeping(loops):
        assert 100 < sum(loops) <= 400


def test_plain_loops_of_a_dataset_with_fewer_samples_than_processes():
    loops = measure.plain_loops(SleepDataset(2, 0.001), processes=3, seconds=0.05)
    with keeping(loops):
        assert min(loops) > 0


def test_workers_that_are_kept_are_those_of_the_first_pass_and_end_with_the_body():
    loader = DataLoader(Processes(8), batch_size=None, num_workers=2, persistent_workers=True)
    plain = DataLoader(Processes(8), batch_size=None)  # has no workers
    before, threads = set(multiprocessing.active_children()), set(threading.enumerate())
    with keeping(loader, plain):
        seen = {process for turn in range(3) for process in loader}
        workers = set(multiprocessing.active_children()) - before
    assert len(seen) == 2 and seen == {worker.pid for worker in workers}
    assert set(multiprocessing.active_children()) <= before
    assert within(10, lambda: set(threading.enumerate()) <= threads)  # nor a thread that feeds a queue


def test_a_launch_that_is_interrupted_leaves_no_worker(monkeypatch):
    loader = DataLoader(Processes(8), batch_size=None, num_workers=2, persistent_workers=True)
    before, started = set(multiprocessing.active_children()), []

    def start_one(process, start=BaseProcess.start):
        start(process)
        started.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(BaseProcess, "start", start_one)
    # Until a worker has its own rule for SIGTERM, it has that of the process it is forked from.
    monkeypatch.setattr(BaseProcess, "run", lambda process: time.sleep(60))
    rule = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with pytest.raises(KeyboardInterrupt), keeping(loader):
            list(loader)
    finally:
        signal.signal(signal.SIGTERM, rule)
    assert len(started) == 1 and set(multiprocessing.active_children()) <= before


@pytest.mark.parametrize(
    ("batch", "samples"),
    [
        (torch.zeros(5, 3), 5),
        ([torch.zeros(4), [1, 2, 3, 4]], 4),
        ({"x": torch.zeros(6)}, 6),
        (torch.tensor(3.0), 1),
        (7, 1),
    ],
)
def test_samples_in_a_batch(batch, samples):
    assert measure.samples_in(batch) == samples


def test_variants_take_turns_each_in_another_order():
    calls: list[int] = []
    variants = {each: lambda each=each: calls.append(each) or -each for each in range(9)}
    results = measure.compare(variants, 2, warmup=1)
    turns = [calls[begin : begin + 9] for begin in (0, 9, 18)]
    assert all(sorted(turn) == list(range(9)) for turn in turns)
    assert turns[0] != turns[1] != turns[2] != turns[0]
    assert list(results.items()) == [(each, [-each, -each]) for each in range(9)]


@pytest.mark.serial
def test_of_functions_that_are_identical_none_is_slower_for_its_place() -> None:
    """What empties the caches, as a collection of garbage does, would fall on the first."""
    heap: list[list[int]] = [[] for _ in range(1_000_000)]
    numbers = torch.arange(200_000.0)

    def short() -> float:
        begun = time.thread_time()
        for _ in range(3):
            numbers.sum().item()
        return time.thread_time() - begun

    found = measure.compare(dict.fromkeys(range(10), short), repeats=15)
    medians = [statistics.median(times) for times in found.values()]
    assert heap and max(medians) < 1.5 * statistics.median(medians), medians


def test_spread_of_repeats():
    rows = [{"n": 1, "rate": 3.0}, {"n": 1, "rate": 1.0}, {"n": 1, "rate": 2.0}, {"limit": 9.0}]
    assert measure.spreads(rows, "n", "rate") == {1: measure.Spread(2.0, 1.0, 3.0, 3)}


def test_there_are_no_more_repeats_than_the_environment_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(measure.REPEATS, "2")
    calls = iter(range(9))
    assert measure.compare({"a": lambda: next(calls)}, repeats=5, warmup=1) == {"a": [0, 1]}
    assert measure.compare({"a": lambda: next(calls)}, repeats=1) == {"a": [2]}


def test_no_collection_of_garbage_looks_at_old_objects_while_variants_are_compared() -> None:
    """In a notebook there are so many that it would take as long as many passes."""
    many: list[list[int]] = [[] for _ in range(1_000_000)]
    (looked_at,) = measure.compare({"short": lambda: len(gc.get_objects())}, repeats=1)["short"]
    assert looked_at < len(many) / 10 < len(gc.get_objects())

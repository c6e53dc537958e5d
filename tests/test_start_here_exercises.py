"""Lesson 0: each wrong answer fails with the finding meant for it, in every language; solutions get full points."""

import math
import statistics
from itertools import pairwise

import pytest
import torch
from answers import check_failing, check_solved, check_untouched
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from loaderlab.lessons.start_here import exercises as lesson
from loaderlab.lessons.start_here import probes

BATCHES = {
    "rounds down": (lambda n, b: n // b, {0}),
    "always one more": (lambda n, b: n // b + 1, {1}),
    "rounds to the nearest": (lambda n, b: round(n / b), {0}),
    "at least one": (lambda n, b: max(1, math.ceil(n / b)), {1}),
    "not rounded": (lambda n, b: n / b, {0}),
    "samples": (lambda n, b: n, {0, 1}),
    "no return": (lambda n, b: None, {0, 1}),
}


def pairs(events, first, second):
    """Durations from each event `first` to the next event, if that is `second`."""
    return [b - a for (x, a), (y, b) in pairwise(events) if (x, y) == (first, second)]


def waits(events):
    return pairs(events, "ask", "batch")


def steps(events):
    return pairs(events, "batch", "done")


def times(events, name):
    return [at for event, at in events if event == name]


def until_the_end(events):
    """The last question, too, counts until the log ends, or the wait is what is not computation."""
    total = events[-1][1] - times(events, "done")[0]
    return total - sum(steps(events)[1:]), sum(steps(events)[1:])


def since_done(events):
    done, batch = times(events, "done"), times(events, "batch")
    return sum(b - d for d, b in zip(done, batch[1:], strict=False)), sum(steps(events)[1:])


def step_until_ask(events):
    ask, batch = times(events, "ask"), times(events, "batch")
    computed = [a - b for b, a in zip(batch, ask[1:], strict=False)]
    if len(ask) == len(batch):
        computed.append(events[-1][1] - batch[-1])
    return sum(waits(events)[1:]), sum(computed[1:])


def by_threes(events):
    """Counts on whole rounds of three events."""
    rounds = [events[i : i + 3] for i in range(3, len(events), 3)]
    return sum(b[1] - a[1] for a, b, _c in rounds), sum(c[1] - b[1] for _a, b, c in rounds)


SPLITS = {
    "right, as floats": (lambda e: (float(sum(waits(e)[1:])), float(sum(steps(e)[1:]))), set()),
    "with the first batch": (lambda e: (sum(waits(e)), sum(steps(e))), {1}),
    "with the first step": (lambda e: (sum(waits(e)[1:]), sum(steps(e))), {1}),
    "swapped": (lambda e: (sum(steps(e)[1:]), sum(waits(e)[1:])), {0, 1, 2, 3}),
    "medians": (
        lambda e: tuple(statistics.median(v[1:] or [0]) * len(v[1:]) for v in (waits(e), steps(e))),
        {0},
    ),
    "late clock": (lambda e: (0, sum(steps(e)[1:])), {0, 1, 2, 3}),
    "the rest is wait": (until_the_end, {3}),
    "since done": (since_done, {3}),
    "step until the next question": (step_until_ask, {3}),
    "whole rounds": (by_threes, {2}),
    "share": (lambda e: sum(waits(e)[1:]) / max(1, sum(waits(e)[1:] + steps(e)[1:])), {0, 1, 2, 3}),
    "seconds": (lambda e: (sum(waits(e)[1:]) / 1000, sum(steps(e)[1:]) / 1000), {0, 1, 2, 3}),
}


class Right(Dataset):
    def __init__(self, shelf):
        self.shelf = shelf

    def __len__(self):
        return len(self.shelf)

    def __getitem__(self, index):
        return self.shelf.read([index])[0] ** 2

    def __getitems__(self, indices):
        return [number**2 for number in self.shelf.read(indices)]


def wrong(**methods):
    return type("Wrong", (Right,), methods)


def read_all(self, shelf):
    self.shelf, self.numbers = shelf, shelf.read(range(len(shelf)))


def from_everything(self, indices):
    numbers = self.shelf.read(range(len(self.shelf)))
    return [numbers[index] ** 2 for index in indices]


def missing(self, indices):
    raise NotImplementedError


SQUARES = {
    "tensors": (
        wrong(__getitems__=lambda self, ix: [torch.tensor(n) ** 2 for n in self.shelf.read(ix)]),
        set(),
    ),
    "one by one": (wrong(__getitems__=lambda self, ix: [self[i] for i in ix]), {2}),
    "no __getitems__": (wrong(__getitems__=None), {2}),
    "__getitems__ left out": (wrong(__getitems__=missing), {1, 2}),
    "squares of the indices": (wrong(__getitems__=lambda self, ix: [i**2 for i in ix]), {1, 2}),
    "not squared in batches": (wrong(__getitems__=lambda self, ix: self.shelf.read(ix)), {1}),
    "not squared": (wrong(__getitem__=lambda self, i: self.shelf.read([i])[0]), {0}),
    "a list as item": (wrong(__getitem__=lambda self, i: [n**2 for n in self.shelf.read([i])]), {0}),
    "sorted": (wrong(__getitems__=lambda self, ix: [n**2 for n in self.shelf.read(sorted(ix))]), {1, 2}),
    "without repeats": (
        wrong(__getitems__=lambda self, ix: [n**2 for n in self.shelf.read(dict.fromkeys(ix))]),
        {1, 2},
    ),
    "one tensor": (wrong(__getitems__=lambda self, ix: torch.tensor(self.shelf.read(ix)) ** 2), {1, 2}),
    "reads everything first": (
        wrong(
            __init__=read_all,
            __getitem__=lambda self, i: self.numbers[i] ** 2,
            __getitems__=lambda self, ix: [self.numbers[i] ** 2 for i in ix],
        ),
        {2, 3},
    ),
    "reads everything for each batch": (
        wrong(__getitems__=from_everything),
        {2},
    ),
    "length of a batch": (wrong(__len__=lambda self: probes.BATCH), {0}),
}


def keep_length(self, length):
    self.length = length


def stream(iterate, **methods):
    return type("Stream", (IterableDataset,), {"__init__": keep_length, "__iter__": iterate, **methods})


def right_stream(self):
    info = get_worker_info()
    first, step = (0, 1) if info is None else (info.id, info.num_workers)
    yield from range(first, self.length, step)


def chunks(self, per_worker):
    info = get_worker_info()
    if info is None:
        return iter(range(self.length))
    size = per_worker(self.length, info.num_workers)
    return iter(range(info.id * size, min(self.length, (info.id + 1) * size)))


def only_in_workers(self):
    info = get_worker_info()
    return iter(range(info.id, self.length, info.num_workers))


def from_one(self):
    info = get_worker_info()
    first, step = (0, 1) if info is None else (info.id + 1, info.num_workers)
    return iter(range(first, self.length, step))


def first_worker_only(self):
    info = get_worker_info()
    return iter(range(self.length if info is None or info.id == 0 else 0))


def last_takes_the_rest(self):
    info = get_worker_info()
    if info is None:
        return iter(range(self.length))
    size = self.length // info.num_workers
    end = self.length if info.id == info.num_workers - 1 else (info.id + 1) * size
    return iter(range(info.id * size, end))


def made_once(self, length):
    self.length, self.numbers = length, None


def used_up(self):
    if self.numbers is None:
        self.numbers = iter(list(right_stream(self)))
    return self.numbers


def endless(self):
    while True:
        yield 0


STREAMS = {
    "chunks, rounded up": (stream(lambda self: chunks(self, lambda n, w: -(-n // w))), set()),
    "everyone everything": (stream(lambda self: iter(range(self.length))), {1, 2, 3}),
    "chunks, rounded down": (stream(lambda self: chunks(self, lambda n, w: n // w)), {2}),
    "fails without workers": (stream(only_in_workers), {0, 4}),
    "starts at 1": (stream(from_one), {1, 2}),
    "the first worker does it all": (stream(first_worker_only), {3}),
    "the last one takes the rest": (stream(last_takes_the_rest), {3}),
    "used up": (stream(used_up, __init__=made_once), {4}),
    "endless": (stream(endless), {0, 1, 2, 3}),
    "no IterableDataset": (
        type("Plain", (), {"__init__": keep_length, "__iter__": right_stream}),
        {0},
    ),
}

GAINS = {
    "always takes turns": (lambda load, step, n: (load + step) / step, {1, 2, 3}),
    "never takes turns": (lambda load, step, n: max(load / max(n, 1), step) / step, {0}),
    "may be less than 1": (lambda load, step, n: load / n / step if n else (load + step) / step, {2}),
    "workers do not share": (lambda load, step, n: (max(load, step) if n else load + step) / step, {2, 3}),
    "adds what is shared": (lambda load, step, n: (load / n if n else load) / step + 1, {1, 2, 3}),
    "the gain above 1": (lambda load, step, n: lesson.best_gain(load, step, n) - 1, {0, 1, 2, 3}),
    "the inverse": (lambda load, step, n: 1 / lesson.best_gain(load, step, n), {0, 1, 3}),
    "whole numbers": (lambda load, step, n: lesson.best_gain(load, step, n) // 1, {0, 1, 3}),
    "divides by zero": (lambda load, step, n: max(load / n, step) / step, {0}),
    "wait share": (lambda load, step, n: 1 - 1 / lesson.best_gain(load, step, n), {0, 1, 2, 3}),
}

ANSWERS = {
    "number_of_batches": BATCHES,
    "wait_and_compute": SPLITS,
    "SquaresDataset": SQUARES,
    "CountingStream": STREAMS,
    "headroom": GAINS,
}


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize(
    ("name", "answer", "failing"),
    [(name, *case) for name, cases in ANSWERS.items() for case in cases.values()],
    ids=[f"{name}-{case}" for name, cases in ANSWERS.items() for case in cases],
)
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(name, answer, failing, code):
    check_failing("start_here", name, answer, failing, code)


RIGHT = {
    "number_of_batches": lambda n, b: math.ceil(n / b),
    "wait_and_compute": lambda e: [sum(waits(e)[1:]), sum(steps(e)[1:])],
    "SquaresDataset": Right,
    "CountingStream": stream(right_stream),
    "headroom": lesson.best_gain,
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_gets_full_points(name):
    check_solved("start_here", name, RIGHT[name])


def untouched(*_arguments):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("number_of_batches", untouched),
        ("wait_and_compute", untouched),
        ("SquaresDataset", wrong(__getitem__=untouched, __getitems__=untouched)),
        ("CountingStream", stream(untouched)),
        ("headroom", untouched),
    ],
)
def test_an_untouched_exercise_is_not_called_wrong(name, answer):
    check_untouched("start_here", name, answer)


def test_a_wrong_answer_sees_the_call_that_went_wrong():
    found = check_failing("start_here", "number_of_batches", BATCHES["rounds down"][0], {0}, "en")
    assert found.findings[0].got == "2 · `number_of_batches(10, 4)`"


@pytest.mark.skipif(
    "fork" not in torch.multiprocessing.get_all_start_methods(), reason="a class of a test needs fork"
)
@pytest.mark.parametrize("name", ["chunks, rounded up", "everyone everything"])
def test_played_workers_yield_what_real_ones_do(name):
    played = probes.probe_stream(STREAMS[name][0])["uneven"][0]["value"]
    loader = DataLoader(STREAMS[name][0](10), batch_size=None, num_workers=3, multiprocessing_context="fork")
    assert sorted(int(n) for n in loader) == sorted(n for share in played for n in share)

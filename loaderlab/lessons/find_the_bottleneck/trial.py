"""The script with some of its repairs, at work as in section 4: TRIAL measures what it claims, its true rate, and the limit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch

from loaderlab.course.case import Rates
from loaderlab.lessons.find_the_bottleneck import found, photos, repaired
from loaderlab.measuring import machine, temporary

RANKS = 96
STEPS = 16
TIMEOUT = 60.0  # s, after which a worker hangs


@contextmanager
def trial() -> Iterator[Callable[[Sequence[str]], Rates]]:
    """Make the photos, and yield the function that runs the script with the repairs that it is given."""
    machine.allow_open_files()
    torch.set_num_threads(1)  # this process forks workers, and must not have used OpenMP before
    with temporary.own("trial") as folder, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        photos.make(folder)
        yield lambda repairs: _rates(repairs, str(folder))


def _rates(repairs: Sequence[str], folder: str) -> Rates:
    training = repaired.only(*repairs)[1](folder, ranks=RANKS)
    training.loader.timeout = TIMEOUT
    if training.loader.persistent_workers:
        training.epoch(0)
    started = time.perf_counter()
    claimed = training.epoch(1)
    seconds = time.perf_counter() - started
    samples = len(training.sampler)
    del training.loader  # ends its workers, which must not run beside the steps
    started = time.perf_counter()
    for _number in range(STEPS):
        training.step(None, None)
    limit = STEPS * found.BATCH / (time.perf_counter() - started)
    return Rates(claimed, samples / seconds, limit)


TRIAL = trial

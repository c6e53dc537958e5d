"""The trial: changes that need no edit, each measured in turns with the loader as it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from torch.utils.data import BatchSampler

from .clone import draws_given_back, loader_in, refused
from .evidence import KNOWN, Evidence, of_loop
from .finding import Changes, Tried
from .isolated import isolated
from .loop import EpochTimes, loop
from .pools import one_thread

TURNS = 4  # of each, where there is the time
LEAST, BATCHES = 1.5, 3  # seconds of a turn, and rounds of batches of all workers that have to come in it
MOST = 4  # changes that are tried
LATER = 5.0  # seconds more than three times those of a turn: then it hangs
EPOCHS = (
    3  # first ones: so long a loader whose workers stay is tried once more, where none ended after the first
)
LATE = "late"  # no batch came in the time of a turn: it says nothing of the change


def attempt(
    batches: Any,
    step: Callable[[Any], Any] | None,
    evidence: Evidence,
    proposals: Sequence[Changes],
    seconds: float,
) -> tuple[Tried, ...]:
    """Measure these changes, the first ones if there is not the time for all; together they take so many seconds, about."""
    end = time.monotonic() + seconds
    if evidence.has_step and step is None:  # one of a script's, that was watched and cannot be called
        step = partial(_pause, evidence.costs.step.all)
    possible = [one for one in proposals if not refused(batches, {k: v for k, v in one if k in KNOWN})]
    least = max(LEAST, BATCHES * max(1, evidence.workers) * evidence.batch_seconds)
    # Where no batch came, none would come now.
    plain: list[Changes] = [] if evidence.troubles else [()]
    # Of each change and of the loader as it is there are two turns, or of the first change one, where there is time for no more.
    turns = int(seconds / least)
    wanted = plain + possible[: max(0, min(MOST, max(turns // 2, min(turns, 2)) - len(plain)))]
    if len(wanted) == len(plain):
        return ()
    rates: dict[Changes, list[float]] = {changes: [] for changes in wanted}
    errors: dict[Changes, str] = {}
    turns = min(TURNS, turns // len(wanted))
    with draws_given_back():
        for turn in range(turns):
            each = (end - time.monotonic()) / (turns - turn) / len(wanted)
            if turn and each < least / 2:
                break
            for changes in wanted if turn % 2 == 0 else reversed(wanted):
                if not errors.get(changes):  # and no turn of what does not work
                    rate, errors[changes] = _rate(batches, step, evidence, dict(changes), max(each, least))
                    rates[changes].append(rate)
    if errors.get(()):  # nothing to compare with
        return ()
    before = tuple(rates.get((), ()))
    tried = (one for one in wanted if one and errors[one] != LATE)
    return tuple(Tried(changes, before, tuple(rates[changes]), errors[changes]) for changes in tried)


def _pause(seconds: float, _batch: Any) -> None:
    time.sleep(seconds)


def _rate(
    batches: Any, step: Any, evidence: Evidence, changes: dict[str, Any], seconds: float
) -> tuple[float, str]:
    """Return samples a second, and why there are none."""
    arguments, loader = dict(changes), loader_in(batches)
    if arguments.pop("torch_threads", None) and loader is not None:
        arguments["worker_init_fn"] = partial(one_thread, loader.worker_init_fn)
    if (size := arguments.pop("batch_size", None)) and loader is not None:
        arguments["batch_sampler"] = BatchSampler(loader.sampler, size, loader.drop_last)
    outcome = isolated(lambda: loop(batches, step, seconds, **arguments), 3 * seconds + LATER)
    if outcome.how == "raised":
        return 0.0, f"{outcome.error}: {outcome.text}"
    as_tried = evidence.changed(changes)
    if size:
        as_tried = replace(as_tried, costs=replace(as_tried.costs, batch_size=size, epoch=None))
    seen = replace(as_tried, **of_loop(outcome.said, as_tried))
    epochs = [one for one in outcome.said if isinstance(one, EpochTimes)]
    if not epochs or not seen.rate:
        return 0.0, LATE
    if as_tried.persistent and epochs[0].ended and not any(one.ended for one in epochs[1:]):
        # The first epoch has the start of the workers, and the few batches of a second one that was broken off tell no rate.
        needed = EPOCHS * epochs[0].seconds
        return _rate(batches, step, evidence, changes, needed) if seconds < needed else (0.0, LATE)
    return seen.expected_rate, ""

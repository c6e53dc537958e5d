"""The examination: the experiments one after the other, within the seconds that are given, and the evidence of all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from ..words import translate as _
from .clock import Others
from .clone import draws_given_back, length_of, loader_in
from .evidence import Evidence, Trouble, facts, of_loop, of_parts
from .isolated import Outcome, isolated
from .loop import Batches, EpochTimes, loop
from .parts import Step, parts

# Of the seconds that are given. The parts are many and the loop is one; what is left is for starting and stopping, and for
# `faults`. A choice: `tools/tries.py` shows what comes of it.
OF_PARTS, OF_LOOP = 0.45, 0.35
# Of the time for the parts, where they are looked at a second time, with one thread.
AS_IT_IS, ONE_THREAD = (0.7, 0.3)
LATER = 1.25  # times the time for an experiment that stops by itself: then it hangs
LEAST_LOOP = 3.0  # seconds until a loop without a batch hangs: spawned workers import torch first
FULL = 0.5  # of the free shared memory: with more under way, the loop is watched with less

Progress = Callable[[float], None]
Run = Callable[[Callable[[], Iterator[Any]], float], Outcome]


def examine(batches: Any, step: Step | None, seconds: float, progress: Progress) -> Evidence:
    """Return the evidence of the experiments; ``progress`` hears which share of the time is over.

    Raises TypeError where ``batches`` cannot be iterated over.
    """
    if not hasattr(batches, "__iter__"):
        text = _("{type} gives no batches: give a DataLoader, or whatever a `for` loop takes them from.")
        raise TypeError(text.format(type=type(batches).__name__))
    end = time.monotonic() + seconds
    evidence, shares = Evidence(**facts(batches)), [1.0]
    if step is not None:
        evidence = replace(evidence, has_step=True)

    def run(experiment: Callable[[], Iterator[Any]], most: float) -> Outcome:
        others = Others()
        outcome = isolated(experiment, most)
        others.uncounted = outcome.uncounted
        shares.append(others.share())
        return outcome

    with draws_given_back():
        progress(0.0)
        if evidence.is_loader:
            evidence = _parts(run, evidence, batches, step, OF_PARTS * seconds)
            progress(0.55)
        only_in_workers = bool(evidence.troubles) and _may_run_in_workers(evidence)
        if not evidence.troubles or only_in_workers:
            most = max(LEAST_LOOP, end - time.monotonic())
            known = replace(evidence, troubles=(), alone=not only_in_workers)
            looped = _loop(run, known, batches, step, OF_LOOP * seconds, most)
            # Where the loop fails, too, what was said of the parts says more.
            evidence = evidence if only_in_workers and looped.troubles else looped
        progress(1.0)
    # What was measured beside others is held against what was not: the busiest of the experiments decides.
    return replace(evidence, share=min(shares))


def _may_run_in_workers(evidence: Evidence) -> bool:
    """Return whether what failed in a process that is no worker may be meant to run in workers only."""
    (trouble,) = evidence.troubles
    return evidence.workers > 0 and trouble.outcome.how in ("raised", "died")


def _parts(run: Run, evidence: Evidence, batches: Any, step: Step | None, seconds: float) -> Evidence:
    threads = 1 if evidence.workers else torch.get_num_threads()
    both = threads > 1  # then it is worth to know what one thread takes
    share = AS_IT_IS * seconds if both else seconds
    outcome = run(lambda: parts(batches, step, share, threads), LATER * share)
    count = sum(said[0] == "batch" for said in outcome.said)
    if not count:
        return replace(evidence, troubles=(Trouble("parts", 0, outcome, share),))
    phases = {said[0] for said in outcome.said}
    if (
        outcome.how in ("raised", "died") and "sending" not in phases
    ):  # what cannot be sent, the loop will tell
        return replace(evidence, troubles=(Trouble("parts", count, outcome),))
    epoch = length_of(loader_in(batches))
    evidence = replace(evidence, **of_parts(outcome.said, replace(evidence.costs, epoch=epoch)))
    if both:
        alone = run(lambda: parts(batches, None, ONE_THREAD * seconds, 1), LATER * ONE_THREAD * seconds)
        if any(said[0] == "batch" for said in alone.said):
            one = of_parts(alone.said, evidence.costs)["costs"]
            evidence = replace(evidence, one_thread=one.load, threads=threads)
    return evidence


def _loop(
    run: Run, evidence: Evidence, batches: Any, step: Step | None, seconds: float, most: float
) -> Evidence:
    changes: dict[str, Any] = {}
    if evidence.workers and evidence.shm_free is not None and evidence.in_flight > FULL * evidence.shm_free:
        changes["prefetch_factor"] = 1  # what it fills is not only ours
    outcome = run(lambda: loop(batches, step, seconds, **changes), most)
    came = sum(one.batches for one in outcome.said if isinstance(one, EpochTimes))
    came = came or sum(len(one.waits) for one in outcome.said if isinstance(one, Batches))
    if not came or outcome.how in ("raised", "died"):
        return replace(evidence, troubles=(Trouble("loop", came, outcome, most),))
    if not evidence.is_loader:
        evidence = replace(evidence, iterable=True)
    return replace(evidence, **of_loop(outcome.said, evidence))

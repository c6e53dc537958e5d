"""The examination: the experiments one after the other, within the seconds that are given, and the evidence of all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from ..words import translate as _
from .clock import Others
from .clone import draws_given_back, loader_in
from .evidence import Evidence, Trouble, facts, length, of_loop, of_parts
from .isolated import Outcome, isolated
from .loop import Batches, Epoch, loop
from .parts import Step, parts

Progress = Callable[[float], None]
Run = Callable[[Callable[[], Iterator[Any]], float], Outcome]


def examine(batches: Any, step: Step | None, seconds: float, progress: Progress) -> Evidence:
    """What the experiments find; ``progress`` hears which share of the time is over.

    Raises TypeError where ``batches`` cannot be iterated over.
    """
    if not hasattr(batches, "__iter__"):
        raise TypeError(
            _("{type} gives no batches: give a DataLoader, or whatever a `for` loop takes them from.").format(
                type=type(batches).__name__
            )
        )
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
            evidence = _parts(run, evidence, batches, step, 0.45 * seconds)
            progress(0.55)
        if not evidence.troubles:
            evidence = _loop(run, evidence, batches, step, 0.35 * seconds, max(3.0, end - time.monotonic()))
        progress(1.0)
    # What was measured beside others is held against what was not: the busiest of the experiments decides.
    return replace(evidence, share=min(shares))


def _parts(run: Run, evidence: Evidence, batches: Any, step: Step | None, seconds: float) -> Evidence:
    threads = 1 if evidence.workers else torch.get_num_threads()
    both = threads > 1  # then it is worth to know what one thread takes
    share = 0.7 * seconds if both else seconds
    outcome = run(lambda: parts(batches, step, share, threads), 1.25 * share)
    count = sum(said[0] == "batch" for said in outcome.said)
    if not count:
        return replace(evidence, troubles=(Trouble("parts", 0, outcome, share),))
    phases = {said[0] for said in outcome.said}
    if (
        outcome.how in ("raised", "died") and "sending" not in phases
    ):  # what cannot be sent, the loop will tell
        return replace(evidence, troubles=(Trouble("parts", count, outcome),))
    epoch = length(loader_in(batches))
    evidence = replace(evidence, **of_parts(outcome.said, replace(evidence.costs, epoch=epoch)))
    if both:
        alone = run(lambda: parts(batches, None, 0.3 * seconds, 1), 0.4 * seconds)
        if any(said[0] == "batch" for said in alone.said):
            one = of_parts(alone.said, evidence.costs)["costs"]
            evidence = replace(evidence, one_thread=one.load, threads=threads)
    return evidence


def _loop(
    run: Run, evidence: Evidence, batches: Any, step: Step | None, seconds: float, most: float
) -> Evidence:
    changes: dict[str, Any] = {}
    if evidence.workers and evidence.shm_free is not None and evidence.in_flight > 0.5 * evidence.shm_free:
        changes["prefetch_factor"] = 1  # what it fills is not only ours
    outcome = run(lambda: loop(batches, step, seconds, **changes), most)
    came = sum(one.batches for one in outcome.said if isinstance(one, Epoch))
    came = came or sum(len(one.waits) for one in outcome.said if isinstance(one, Batches))
    if not came or outcome.how in ("raised", "died"):
        return replace(evidence, troubles=(Trouble("loop", came, outcome, most),))
    if not evidence.is_loader:
        evidence = replace(evidence, iterable=True)
    return replace(evidence, **of_loop(outcome.said, evidence))

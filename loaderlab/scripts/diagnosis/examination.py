"""The examination: the experiments one after the other, within the seconds that are given, and the evidence of all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..words import translate as _
from .activities import seen
from .clock import Others
from .clone import draws_given_back, length_of, loader_in
from .evidence import LARGE, Evidence, Trouble, facts, of_loop, of_parts, of_seen
from .isolated import Outcome, forks, isolated
from .kept import keeping
from .lines import line_of
from .loop import Batches, EpochTimes, loop
from .parts import Step, parts
from .pools import pools

# Of the seconds that are given. What is left is for trials, for starting and stopping, and for `faults`. A choice.
OF_PARTS, OF_LOOP, OF_SEEN, OF_KEPT = 0.25, 0.2, 0.1, 0.05
AS_IT_IS, ONE_THREAD = (
    0.7,
    0.3,
)  # of the time for the parts, where they are looked at a second time, with one thread
LATER = 1.25  # times the time for an experiment that stops by itself: then it hangs
LEAST_LOOP = 3.0  # seconds until a loop without a batch hangs: spawned workers import torch first
STARTING = 5.0  # seconds for processes that start and stop, and for what looks at them
LEAST_SPAWN = 10.0  # seconds until a first batch of spawned workers, with all that the user's module imports
FULL = 0.5  # of the free shared memory: with more under way, the loop is watched with less
KEEPS = r"\.(append|extend|add|appendleft|update|setdefault)\(|\]\s*=[^=]|\+=\s*[\[(]"  # what a step keeps, it keeps so

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
        evidence = replace(evidence, has_step=True, keeping=str(line_of(step, KEEPS) or ""))

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
            progress(0.4)
        only_in_workers = False
        for trouble in evidence.troubles if evidence.workers else ():
            # What hangs may do so in any fork of this process, workers or the copy in which it is tried.
            hangs = trouble.outcome.how == "late" and not trouble.outcome.dead
            if hangs and evidence.method == "fork" and forks():
                most = max(LEAST_SPAWN, end - time.monotonic())
                outcome = run(lambda: loop(batches, None, 0.0, multiprocessing_context="spawn"), most)
                evidence = replace(evidence, troubles=(replace(trouble, spawned=_came(outcome) > 0),))
            # What fails in a process that is no worker may be meant to run in workers only.
            only_in_workers = trouble.outcome.how in ("raised", "died")
        if not evidence.troubles or only_in_workers:
            most = max(LEAST_LOOP, end - time.monotonic())
            known = replace(evidence, troubles=(), alone=not only_in_workers)
            looped = _loop(run, known, batches, step, OF_LOOP * seconds, most)
            # Where the loop fails, too, what was said of the parts says more.
            evidence = evidence if only_in_workers and looped.troubles else looped
        progress(0.6)
    # What was measured beside others is held against what was not: the busiest of the experiments decides.
    return replace(evidence, share=min(shares))


def _came(outcome: Outcome) -> int:
    """Return how many batches came in a loop."""
    told = sum(one.batches for one in outcome.said if isinstance(one, EpochTimes))
    return told or sum(len(one.waits) for one in outcome.said if isinstance(one, Batches))


def _parts(run: Run, evidence: Evidence, batches: Any, step: Step | None, seconds: float) -> Evidence:
    threads = 1 if evidence.workers else max(pools().values())
    share = AS_IT_IS * seconds if threads > 1 else seconds
    outcome = run(lambda: parts(batches, step, share, threads), LATER * share + STARTING)
    count = sum(said[0] == "batch" for said in outcome.said)
    # What cannot be sent, the loop will tell.
    sending = any(said[0] == "sending" for said in outcome.said)
    if not count or (outcome.how in ("raised", "died") and not sending):
        return replace(evidence, troubles=(Trouble("parts", count, outcome, share),))
    epoch = length_of(loader_in(batches))
    evidence = replace(evidence, **of_parts(outcome.said, replace(evidence.costs, epoch=epoch)))
    if threads > 1:  # then it is worth to know what one thread takes
        share = ONE_THREAD * seconds
        said = run(lambda: parts(batches, None, share, 1), LATER * share + STARTING).said
        if any(kind == "batch" for kind, *_what in said):
            one = of_parts(said, evidence.costs)["costs"]
            evidence = replace(evidence, one_thread=one.load, threads=threads)
    return evidence


def _loop(run: Run, evidence: Evidence, batches: Any, step: Any, seconds: float, most: float) -> Evidence:
    # What shared memory it fills is not only ours.
    full = evidence.shm_free is not None and evidence.in_flight > FULL * evidence.shm_free
    changes = {"prefetch_factor": 1} if full else {}
    outcome = run(lambda: loop(batches, step, seconds, **changes), most)
    if not (came := _came(outcome)) or outcome.how in ("raised", "died"):
        return replace(evidence, troubles=(Trouble("loop", came, outcome, most),))
    if not evidence.is_loader:
        evidence = replace(evidence, iterable=True)
    evidence = replace(evidence, **of_loop(outcome.said, evidence))
    share = OF_SEEN / OF_LOOP * seconds
    limit = min(most, LATER * share + 2 * evidence.first + STARTING)
    looked = isolated(lambda: seen(batches, step, share, **changes), limit)
    evidence = replace(evidence, **of_seen(looked.said, evidence))
    if evidence.growth < LARGE or not evidence.is_loader or not forks():
        return evidence
    share = OF_KEPT / OF_LOOP * seconds
    limit = min(most, LATER * share + 4 * evidence.costs.load.all + STARTING)
    read = isolated(lambda: keeping(batches, share), limit)
    return replace(evidence, kept=next(iter(read.said), None))

"""The trial: changes that need no edit, each measured in turns with the loader as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import torch

from .clone import draws_given_back, loader_in
from .decision import expected_rate
from .evidence import Evidence, of_loop
from .finding import Finding, Rate
from .isolated import isolated
from .loop import EpochTimes, loop

TURNS = 2
# As long as so many first ones a loader is tried whose workers stay, where none ended after the first.
EPOCHS = 4
KNOWN = {  # arguments of a DataLoader, and what the evidence calls them
    "num_workers": "workers",
    "persistent_workers": "persistent",
    "prefetch_factor": "prefetch",
    "in_order": "in_order",
    "multiprocessing_context": "method",
}


@dataclass(frozen=True)
class Tried:
    """A change with what was predicted, if anything, and what was measured, samples a second; 0 where it gave no batch."""

    name: str
    changes: tuple[tuple[str, Any], ...]
    predicted: Rate | None
    before: float
    measured: float
    error: str = ""


class OneThread:
    """The user's `worker_init_fn`, and one thread."""

    def __init__(self, function: Callable[[int], Any] | None) -> None:
        self.function = function

    def __call__(self, worker: int) -> None:
        if self.function:
            self.function(worker)
        torch.set_num_threads(1)


def attempt(
    batches: Any,
    step: Callable[[Any], Any] | None,
    evidence: Evidence,
    findings: list[Finding],
    seconds: float,
) -> list[Tried]:
    """Measure what the findings advise, as far as it needs no edit; all together take so many seconds, about."""
    able = [one for one in findings if one.changes]
    tried = []
    each = seconds / max(1, 2 * TURNS * len(able))
    with draws_given_back():
        for one in able:
            before, after, error = [], [], ""
            for _turn in range(TURNS):
                # Where no batch came, none would come now.
                before.append(0.0 if evidence.troubles else _rate(batches, step, evidence, {}, each)[0])
                rate, error = _rate(batches, step, evidence, _arguments(batches, dict(one.changes)), each)
                after.append(rate)
            tried.append(Tried(one.name, one.changes, one.predicted, median(before), median(after), error))
    return tried


def _arguments(batches: Any, changes: dict[str, Any]) -> dict[str, Any]:
    loader = loader_in(batches)
    if changes.pop("torch_threads", None) and loader is not None:
        changes["worker_init_fn"] = OneThread(loader.worker_init_fn)
    return changes


def _rate(
    batches: Any,
    step: Callable[[Any], Any] | None,
    evidence: Evidence,
    changes: dict[str, Any],
    seconds: float,
) -> tuple[float, str]:
    outcome = isolated(lambda: loop(batches, step, seconds, **changes), 3 * seconds + 5)
    if outcome.how == "raised":
        return 0.0, f"{outcome.error}: {outcome.text}"
    as_tried = replace(evidence, **{KNOWN[k]: v for k, v in changes.items() if k in KNOWN})
    seen = replace(as_tried, **of_loop(outcome.said, as_tried))
    epochs = [one for one in outcome.said if isinstance(one, EpochTimes)]
    if not epochs:
        return 0.0, outcome.how
    if as_tried.persistent and epochs[0].ended and not any(one.ended for one in epochs[1:]):
        # The first epoch has the start of the workers, and the few batches of a second one that was broken off tell no rate.
        needed = EPOCHS * epochs[0].seconds
        return _rate(batches, step, evidence, changes, needed) if seconds < needed else (0.0, "late")
    return expected_rate(seen), ""

"""The probes of lesson 7: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loaderlab.exercises.probing import attempt

# ---------------------------------------------------------------- DistributedBucketSampler

SETTINGS = {"even": (1600, 4, 4), "odd": (1203, 8, 3), "alone": (100, 6, 1)}  # samples, batch size, ranks
FEW = (5, 4, 3)


def lengths_of(samples: int, seed: int = 0) -> list[int]:
    """Lengths as texts have them: many short ones, a few long ones."""
    import random

    rng = random.Random(1000 + samples + seed)
    return [max(1, round(rng.lognormvariate(4, 0.5))) for _sample in range(samples)]


def probe_bucket(answer: type) -> dict[str, Any]:
    """All ranks' batches, for several settings, epochs and seeds."""

    def batches(samples: int, size: int, ranks: int, epoch: int = 0, seed: int = 0) -> Any:
        found, counts = [], []
        for rank in range(ranks):
            sampler = answer(lengths_of(samples), size, ranks, rank, seed=seed)
            sampler.set_epoch(epoch)
            found.append([[int(index) for index in batch] for batch in sampler])
            counts.append(len(sampler))
        return {"batches": found, "len": counts}

    evidence: dict[str, Any] = {
        name: attempt(lambda setting=setting: batches(*setting)) for name, setting in SETTINGS.items()
    }
    evidence["few"] = attempt(lambda: batches(*FEW))
    evidence["again"] = attempt(lambda: batches(*SETTINGS["even"]))
    evidence["epoch"] = attempt(lambda: batches(*SETTINGS["even"], epoch=1))
    evidence["later"] = attempt(lambda: batches(*SETTINGS["even"], epoch=2))
    evidence["seed"] = attempt(lambda: batches(*SETTINGS["even"], seed=5))

    def returning() -> Any:
        sampler = answer(lengths_of(SETTINGS["even"][0]), 4, 4, 1)
        passes = []
        for epoch in (0, 1, 0):
            sampler.set_epoch(epoch)
            passes.append([[int(index) for index in batch] for batch in sampler])
        return passes

    evidence["returning"] = attempt(returning)
    return evidence


# ---------------------------------------------------------------- assign_shards

SIZES: dict[str, tuple[list[int], int, int]] = {
    "equal": ([100] * 8, 4, 10),
    "remainder": ([100] * 10, 4, 10),
    "one_each": ([100] * 7, 7, 16),
    "sizes": ([90, 10, 80, 20, 70, 30, 60, 40], 4, 10),
    "ascending": ([10, 20, 30, 40, 50, 60, 70, 80, 90], 3, 8),
    "one_large": ([400, 100, 100, 100, 100, 50, 50], 3, 16),
    "incomplete": ([33, 33, 33, 33], 2, 8),
    "single": ([25, 5], 1, 8),
}
TOO_FEW = ([100] * 7, 8, 10)


def probe_shards(answer: Callable[..., Any]) -> dict[str, Any]:
    evidence = {name: attempt(answer, list(sizes), *rest) for name, (sizes, *rest) in SIZES.items()}
    evidence["too_few"] = attempt(answer, list(TOO_FEW[0]), *TOO_FEW[1:])
    return evidence

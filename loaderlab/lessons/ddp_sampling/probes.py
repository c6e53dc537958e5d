"""The probe of lesson 7: what a sampler is made to do, and the evidence of it."""

from __future__ import annotations

from random import Random
from typing import Any

from loaderlab.exercises.probing import attempt

SETTINGS = {"even": (1600, 4, 4), "odd": (1203, 8, 3), "alone": (100, 6, 1)}  # samples, batch size, ranks
FEW = (5, 4, 3)


def lengths_of(samples: int) -> list[int]:
    """Return lengths as sounds have them: many short ones, a few long ones, and hardly two that are equal."""
    rng = Random(1000 + samples)
    return [round(rng.lognormvariate(11, 0.5)) for _sample in range(samples)]


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

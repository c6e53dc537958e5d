"""The probes of lesson 1: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from loaderlab import child
from loaderlab.calls import Calls
from loaderlab.probing import Probe

MIB = 1024**2

TABLES = Calls(
    "choose_num_workers",
    {
        "plateau": (
            {0: [101, 99, 100], 1: [98, 97, 99], 2: [192, 195, 193], 4: [198, 201, 199], 8: [200, 203, 202]},
            0.05,
        ),
        "outlier": ({1: [100, 101, 99], 2: [150, 151, 400], 4: [196, 198, 197]}, 0.05),
        "workers_hurt": ({0: [900, 910, 905], 1: [250, 260, 255], 2: [300, 310, 305]}, 0.05),
        "unsorted": ({8: [300, 301, 299], 4: [299, 300, 298], 2: [180, 181, 179]}, 0.05),
        "exact": ({1: [95, 95, 95], 2: [100, 100, 100]}, 0.05),
        "strict": ({1: [96, 97, 96], 2: [99, 100, 99], 4: [100, 100, 101]}, 0.0),
    },
)

FLIGHTS = Calls(
    "bytes_in_flight",
    {
        "typical": (8 * MIB, 2, 2),
        "many": (3 * MIB, 8, 4),
        "no_workers": (8 * MIB, 0, None),
        "default": (5 * MIB, 3, None),
    },
)

# ---------------------------------------------------------------- StatelessAugment

ITEMS, EPOCHS, WORKERS = 12, 2, (0, 1, 2, 4)


def probe_augment(answer: type) -> dict[str, Any]:
    """Gains by number of workers, epoch and index, each worker with a copy of the Dataset and its own seeds.

    The workers are played in this process, one after the other: a class from a notebook cell can reach
    real workers under fork only, and the exercise is for every system.
    """
    import torch

    images = torch.arange(1, 1 + 6 * ITEMS, dtype=torch.float64).reshape(ITEMS, 2, 3)
    applied = True

    def gains(seed: int, epochs: int, num_workers: int) -> list[list[float]]:
        nonlocal applied
        dataset = answer(images, seed)
        passes = []
        for epoch in range(epochs):
            dataset.set_epoch(epoch)
            items = _one_epoch(dataset, num_workers, base_seed=1000 * (num_workers + 1) + 100 * epoch + seed)
            ratios = [torch.as_tensor(item) / image for item, image in zip(items, images, strict=True)]
            applied = applied and all(bool(ratio.max() - ratio.min() < 1e-9) for ratio in ratios)
            passes.append([round(float(ratio.mean()), 9) for ratio in ratios])
        return passes

    with _own_random_state():
        evidence = {
            "gains": {str(workers): gains(7, EPOCHS, workers) for workers in WORKERS},
            "long": gains(7, 4, 0),
            "other_seed": gains(8, 4, 0),
        }
    return evidence | {"applied": applied}


@contextmanager
def _own_random_state() -> Iterator[None]:
    """The probe seeds the global generators; afterwards the notebook finds them as they were."""
    import numpy as np
    import torch

    saved = torch.get_rng_state(), random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        torch.set_rng_state(saved[0])
        random.setstate(saved[1])
        np.random.set_state(saved[2])


def _one_epoch(dataset: Any, num_workers: int, base_seed: int) -> list[Any]:
    """One epoch as torch's DataLoader runs it, batch size 1: a copy and three fresh seeds for each worker."""
    import copy

    import numpy as np
    import torch
    from torch.utils.data._utils import worker

    values: list[Any] = [None] * ITEMS
    for number_of_worker in range(max(num_workers, 1)):
        mine, info = dataset, None
        if num_workers:
            mine, seed = copy.deepcopy(dataset), base_seed + number_of_worker
            torch.manual_seed(seed)
            random.seed(seed)
            np.random.seed(seed)
            info = worker.WorkerInfo(id=number_of_worker, num_workers=num_workers, seed=seed, dataset=mine)
        with patch.object(worker, "_worker_info", info):
            for index in range(number_of_worker, ITEMS, max(num_workers, 1)):
                values[index] = mine[index]
    return values


# ---------------------------------------------------------------- portable

LINES = 400
BATCH = 32
DRIVER = Path(__file__).with_name("portable_driver.py")


def text() -> str:
    """The text that the learner's Dataset reads: line i has i % 7 + 1 words, of letters of one and two bytes."""
    return "".join(
        " ".join("xé"[k % 2] * (1 + (i + k) % 9) for k in range(i % 7 + 1)) + "\n" for i in range(LINES)
    )


def probe_portable(answer: str | Path) -> dict[str, Any]:
    """Run the learner's module in a child process that starts its workers by spawn."""
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
        lines, result = Path(folder, "lines.txt"), Path(folder, "evidence.json")
        lines.write_text(text(), encoding="utf-8", newline="\n")
        outcome = child.run(
            DRIVER, str(answer), str(lines), str(result), timeout=60, path=[Path(answer).parent]
        )
        if result.is_file():
            evidence = json.loads(result.read_text())
            if evidence.get("untouched"):
                raise NotImplementedError
            return evidence
    if outcome.timed_out:
        return {"stopped": None}
    return {"stopped": (outcome.errors.strip().splitlines() or [f"exit status {outcome.status}"])[-1]}


PROBES = (
    Probe("choose_num_workers", "function", TABLES.probe),
    Probe("bytes_in_flight", "function", FLIGHTS.probe),
    Probe("StatelessAugment", "class", probe_augment),
    Probe("portable", "file", probe_portable, seconds=70.0),
)

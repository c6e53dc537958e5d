"""The probes of lesson 1: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import copy
import inspect
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from loaderlab.exercises.probing import attempt

# ---------------------------------------------------------------- tensor_loader

ROWS, ROWS_OF_A_BATCH, PASSES = 1000, 64, 2
PLAYED = ("num_workers", "persistent_workers", "prefetch_factor", "multiprocessing_context", "timeout")


def probe_tensors(answer: Callable[..., Any]) -> dict[str, Any]:
    """Return the rows of each batch of two epochs, how many tensors were made for them, and by how many workers.

    A row whose label is that of another counts as row -1. The workers are played in this process, where their tensors are
    counted: a class from a notebook cell can reach real workers under fork only.
    """
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._pytree import tree_leaves
    from torch.utils.data import DataLoader

    made = workers = 0
    begun, signature = DataLoader.__init__, inspect.signature(DataLoader.__init__)

    class Counting(TorchFunctionMode):
        def __torch_function__(self, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal made
            returned = function(*args, **(kwargs or {}))
            made += sum(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(returned))
            if function is torch.Tensor.__iter__:  # it returns an iterator, of one tensor for each row
                made += len(args[0])
            return returned

    def alone(*given: Any, **options: Any) -> None:
        nonlocal workers
        asked = signature.bind(*given, **options)
        workers = max(workers, asked.arguments.get("num_workers", 0))
        for name in PLAYED:
            asked.arguments.pop(name, None)
        begun(*asked.args, **asked.kwargs)

    features = torch.arange(4.0 * ROWS).reshape(ROWS, 4)
    labels = (7 * torch.arange(ROWS) + 3) % ROWS

    def rows(batch: Any) -> list[int]:
        some, theirs = batch
        found = (some[:, 0] / 4).long()
        right = (some == features[found]).all(dim=1) & (theirs == labels[found])
        return torch.where(right, found, -1).tolist()

    def epochs() -> list[list[list[int]]]:
        with Counting():
            loader = answer(features, labels, ROWS_OF_A_BATCH)
            passes = [list(islice(loader, 2 * ROWS)) for _pass in range(PASSES)]
        return [[rows(batch) for batch in batches] for batches in passes]

    with patch.object(DataLoader, "__init__", alone):
        found = attempt(epochs)
    return {"epochs": found, "made": made, "workers": workers}


# ---------------------------------------------------------------- StatelessAugment

ITEMS, EPOCHS, WORKERS = 12, 2, (0, 1, 2, 4)
MANY = 2000  # draws that show how they are spread
FAR = (1, 11)  # epochs of which the first FIRST items must have no number of epoch 0, nor of each other
FIRST = 24


def probe_augment(answer: type) -> dict[str, Any]:
    """Gains by number of workers, epoch and index; persistent workers, with copies of the Dataset and seeds of their own.

    The workers are played in this process, one after the other: a class from a notebook cell can reach
    real workers under fork only, and the exercise is for every system.
    """
    import torch

    applied = unchanged = True

    def gains(
        seed: int, epochs: Mapping[int, int], num_workers: int, count: int = ITEMS
    ) -> list[list[float]]:
        """Epoch by epoch, those of its first items, of so many images ``count``."""
        nonlocal applied, unchanged
        images = torch.arange(1, 1 + 6 * count, dtype=torch.float64).reshape(count, 2, 3)
        given = images.clone()
        dataset = answer(given, seed)
        copies = [_copied(dataset) for _worker in range(num_workers)]
        passes = []
        for epoch, items in epochs.items():
            dataset.set_epoch(epoch)
            first_seed = 1000 * (num_workers + 1) + 100 * epoch + seed
            drawn = _one_epoch(copies or [dataset], items, first_seed if copies else None)
            drawn = [torch.as_tensor(item).clone() for item in drawn]
            unchanged = unchanged and torch.equal(given, images)
            for each in [dataset, *copies]:  # what an item did to its image must not count twice
                for held in vars(each).values():
                    if isinstance(held, torch.Tensor) and held.shape == images.shape:
                        held.copy_(images)
            ratios = [item / image for item, image in zip(drawn, images[:items], strict=True)]
            applied = applied and all(bool(ratio.max() - ratio.min() < 1e-5) for ratio in ratios)
            passes.append([round(float(ratio.mean()), 7) for ratio in ratios])
        return passes

    with _own_random_state():
        evidence = {
            "gains": {
                str(workers): gains(7, dict.fromkeys(range(EPOCHS), ITEMS), workers) for workers in WORKERS
            },
            "long": gains(7, dict.fromkeys(range(4), ITEMS), 0),
            "other_seed": gains(8, dict.fromkeys(range(4), ITEMS), 0),
        }
        many, *far = gains(7, {0: MANY, **dict.fromkeys(FAR, FIRST)}, 0, MANY)
        evidence |= _one_access(answer)
    return evidence | {"many": many, "far": far, "applied": applied, "unchanged": unchanged}


def _one_access(answer: type) -> dict[str, Any]:
    """Return what an item of float32 images is, and which global generators stood elsewhere after it was read."""
    import numpy as np
    import torch

    def states() -> dict[str, str]:
        return {
            "torch": str(torch.get_rng_state().tolist()),
            "random": str(random.getstate()),
            "numpy": str([np.asarray(part).tolist() for part in np.random.get_state()]),
        }

    images = torch.ones(2, 2, 3)
    dataset = answer(images, 7)
    before = states()
    item = dataset[1]
    after = states()
    images.fill_(1)  # who changed them hears it once
    kind = str(item.dtype) if isinstance(item, torch.Tensor) else type(item).__name__
    return {"item": kind, "moved": [name for name in before if before[name] != after[name]]}


def _copied(dataset: Any) -> Any:
    """Return the Dataset as a worker has it: a copy, but for what lies in shared memory."""
    import ctypes
    from multiprocessing.sharedctypes import SynchronizedBase

    import numpy as np
    import torch

    def is_shared(value: Any) -> bool:
        if isinstance(value, torch.Tensor):
            return value.is_shared()
        if isinstance(value, np.ndarray):  # a view, perhaps of shared memory
            return value.base is not None
        return isinstance(value, SynchronizedBase | ctypes._SimpleCData | ctypes.Array)

    shared = [value for value in vars(dataset).values() if is_shared(value)]
    return copy.deepcopy(dataset, {id(value): value for value in shared})


@contextmanager
def _own_random_state() -> Iterator[None]:
    """Put the global generators back afterwards as the notebook had them: the probe seeds them."""
    import numpy as np
    import torch

    saved = torch.get_rng_state(), random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        torch.set_rng_state(saved[0])
        random.setstate(saved[1])
        np.random.set_state(saved[2])


def _one_epoch(datasets: Sequence[Any], items: int, base_seed: int | None) -> list[Any]:
    """One epoch as torch's DataLoader runs it, batch size 1; with three seeds for each worker, None in the main process."""
    import numpy as np
    import torch
    from torch.utils.data._utils import worker

    values: list[Any] = [None] * items
    for number, mine in enumerate(datasets):
        info = None
        if base_seed is not None:
            seed = base_seed + number
            torch.manual_seed(seed)
            random.seed(seed)
            np.random.seed(seed)
            info = worker.WorkerInfo(id=number, num_workers=len(datasets), seed=seed, dataset=mine)
        with patch.object(worker, "_worker_info", info):
            for index in range(number, items, len(datasets)):
                values[index] = mine[index]
    return values


# ---------------------------------------------------------------- portable

LINES = 400
BATCH = 32
DRIVER = Path(__file__).with_name("portable_driver.py")
PARTS = ("WordLengths.__init__", "WordLengths.__getitem__", "WordLengths.__getstate__", "make_collate")


@cache
def text() -> str:
    """Return the text that the learner's Dataset reads: line i has i % 7 + 1 words, of letters of one and two bytes."""
    return "".join(
        " ".join("xé"[k % 2] * (1 + (i + k) % 9) for k in range(i % 7 + 1)) + "\n" for i in range(LINES)
    )


def probe_portable(answer: str | Path) -> dict[str, Any]:
    """Run the learner's module in a child process that starts its workers by spawn."""
    from loaderlab.measuring import child  # and with it psutil

    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
        lines, result = Path(folder, "lines.txt"), Path(folder, "evidence.json")
        lines.write_text(text(), encoding="utf-8", newline="\n")
        outcome = child.run(
            DRIVER, str(answer), str(lines), str(result), timeout=60, path=[Path(answer).parent]
        )
        if result.is_file():
            evidence: dict[str, Any] = json.loads(result.read_text())
            return evidence
    if outcome.timed_out:
        return {"stopped": None, "share": outcome.share}
    return {"stopped": (outcome.errors.strip().splitlines() or [f"exit status {outcome.status}"])[-1]}

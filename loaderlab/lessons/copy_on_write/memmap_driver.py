"""Run in a child process: what a learner's LazyMemmap does here and in spawned workers, as JSON."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from loaderlab.exercises.probing import told

BATCH, EPOCHS, WORKERS = 16, 2, 1  # starting a second one takes as long again, and shows nothing more
maps = 0  # how often this process has mapped a file as large as the learner's


class Counted(Dataset):
    """The learner's items, each with the worker that made it and how often that one has mapped the file so far.

    As many as the file has rows: what the learner's ``len`` says is looked at elsewhere.
    """

    def __init__(self, dataset: Any, rows: int) -> None:
        self.dataset, self.rows = dataset, rows

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> tuple[Any, int, int]:
        item = self.dataset[index]
        return item, os.getpid(), maps


class Count:
    """Counts the mappings of a worker, from its start on."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes

    def __call__(self, _worker: int) -> None:
        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            global maps
            if event == "mmap.__new__" and arguments[0] != -1 and arguments[1] >= self.nbytes:
                maps += 1

        sys.addaudithook(hook)


def described(item: Any) -> Any:
    if not isinstance(item, torch.Tensor):
        return type(item).__name__
    return [str(item.dtype), item.tolist()]


def attempt(function: Any) -> dict[str, Any]:
    try:
        return {"value": function()}
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": told(error)}


def peak(answer: Any, path: str) -> int:
    """Return the memory that making a Dataset takes, asking for its length, and reading an item; with NumPy's arrays."""
    tracemalloc.start()
    dataset = answer(path)
    attempt(lambda: len(dataset))
    attempt(lambda: dataset[0])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def spawned(dataset: Any, path: str) -> dict[str, Any]:
    """Return the rows and mappings of two epochs with a spawned worker that stays."""
    loader = DataLoader(
        Counted(dataset, len(np.load(path, mmap_mode="r"))),
        BATCH,
        num_workers=WORKERS,
        multiprocessing_context="spawn",
        worker_init_fn=Count(os.path.getsize(path) // 2),
        persistent_workers=True,
    )
    counts: dict[str, int] = {}
    epochs = []
    for _epoch in range(EPOCHS):
        rows = []
        for items, pids, mapped in loader:
            rows += items.double().tolist()  # the dtype is looked at elsewhere
            counts |= {str(pid): int(m) for pid, m in zip(pids.tolist(), mapped.tolist(), strict=True)}
        epochs.append(rows)
    return {"epochs": epochs, "maps": sorted(counts.values())}


def main(module: str, path: str, result: str) -> None:
    evidence: dict[str, Any] = {}

    def note(**parts: Any) -> None:
        """Written at once: what comes later may end this process."""
        evidence.update(parts)
        Path(result).write_text(json.dumps(evidence))

    before = Path(path).read_bytes()
    try:
        answer = importlib.import_module(Path(module).stem).LazyMemmap
        dataset = answer(path)
        note(length=attempt(lambda: len(dataset)), first=attempt(lambda: described(dataset[0])))
        note(peak=peak(answer, path))
        fresh = answer(path)
        note(
            fresh=attempt(lambda: len(pickle.dumps(fresh))),
            used=attempt(lambda: len(pickle.dumps(dataset))),
            spawn=attempt(lambda: spawned(answer(path), path)),
        )
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        note(stopped=told(error))
        return

    def changed() -> Any:
        item = dataset[3]
        item += 1
        return described(dataset[3])

    note(changed={"raised": "crash"})
    note(changed=attempt(changed))
    note(file_unchanged=Path(path).read_bytes() == before)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Run by the exercise ``portable`` in a child process: loads the learner's module under spawn, writes evidence.

Usage: portable_driver.py MODULE.py LINES.txt EVIDENCE.json
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch.utils.data import DataLoader

from loaderlab.exercises.probing import attempt, plain, told

BATCH = 32


def opened(path: str) -> dict[int, int]:
    """Return the open files of this process that are this one, and the position in each."""
    found, wanted = {}, os.stat(path)
    for number in range(3, 256):
        with suppress(OSError):
            if os.path.samestat(os.fstat(number), wanted):
                found[number] = os.lseek(number, 0, os.SEEK_CUR)
    return found


def moved(dataset: Any, path: str) -> list[int]:
    """Positions in files of this process that a forked one moves by reading the last line: then both use the same."""
    if not hasattr(os, "fork"):
        return []
    before = opened(path)
    process = os.fork()
    if not process:
        with suppress(BaseException):  # what it raises, it raises here as well
            dataset[len(dataset) - 1]
        os._exit(0)
    os.waitpid(process, 0)
    after = opened(path)
    return [number for number, position in before.items() if after.get(number) != position]


def spawned(dataset: Any, collate: Any) -> list[Any]:
    # One worker shows whether it works; a second one takes as long to start, and shows nothing more.
    loader = DataLoader(dataset, BATCH, num_workers=1, collate_fn=collate, multiprocessing_context="spawn")
    return [batch.tolist() for batch in loader]


def main(module: str, lines: str, result: str) -> None:
    evidence: dict[str, Any] = {}
    made: dict[str, Any] = {}

    def keep(name: str, make: Any) -> dict[str, Any]:
        """Make something, keep it here under ``name``, and return the evidence that it could be made."""

        def kept() -> None:
            made[name] = make()

        return attempt(kept)

    try:
        learner = importlib.import_module(Path(module).stem)
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        Path(result).write_text(json.dumps({"stopped": told(error)}))
        return
    evidence["made"] = keep("dataset", lambda: learner.WordLengths(lines))
    evidence["open"] = len(opened(lines))
    evidence["collate"] = keep("collate", lambda: learner.make_collate(-1))
    evidence["dataset"] = evidence["made"]
    if "dataset" in made:
        dataset = made["dataset"]
        evidence["read"] = attempt(lambda: plain(dataset[0]))  # may open the file, and it must still travel
        evidence["dataset"] = evidence["read"]
        if "value" in evidence["read"]:  # what does nothing can always be pickled
            evidence["dataset"] = attempt(lambda: len(pickle.dumps(dataset)))
        evidence["moved"] = attempt(lambda: len(moved(dataset, lines)))
    if "collate" in made:
        collate, rows = made["collate"], made.get("dataset", [])
        evidence["collate"] = attempt(lambda: plain(collate([rows[0], rows[1]]).tolist()))
        if "value" in evidence["collate"]:
            evidence["collate"] = attempt(lambda: len(pickle.dumps(collate)))
    parts = [evidence[name] for name in ("made", "dataset", "collate")]
    evidence["spawn"] = next((part for part in parts if "value" not in part), {})
    if not evidence["spawn"]:
        evidence["spawn"] = attempt(lambda: spawned(made["dataset"], made["collate"]))
    Path(result).write_text(json.dumps(evidence))


if __name__ == "__main__":
    main(*sys.argv[1:])

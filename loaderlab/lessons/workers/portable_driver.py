"""Run by the exercise ``portable`` in a child process: loads the learner's module under spawn, writes evidence.

Usage: portable_driver.py MODULE.py LINES.txt EVIDENCE.json
"""

from __future__ import annotations

import importlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import psutil
from torch.utils.data import DataLoader

BATCH = 32


def pickled(thing: Any) -> dict[str, Any]:
    try:
        return {"bytes": len(pickle.dumps(thing))}
    except NotImplementedError:
        raise
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def spawned(dataset: Any, collate: Any) -> dict[str, Any]:
    try:
        # One worker shows whether it works; a second one takes as long to start, and shows nothing more.
        loader = DataLoader(
            dataset, BATCH, num_workers=1, collate_fn=collate, multiprocessing_context="spawn", timeout=40
        )
        return {"batches": [batch.tolist() for batch in loader]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[-1]}


def main(module: str, lines: str, result: str) -> None:
    try:
        learner = importlib.import_module(Path(module).stem)
        dataset = learner.WordLengths(lines)
        closed = not any(Path(file.path).samefile(lines) for file in psutil.Process().open_files())
        collate = learner.make_collate(-1)
        dataset[0]  # may open the file, and the Dataset must still travel
        evidence = {"closed": closed, "dataset": pickled(dataset), "collate": pickled(collate)}
        if "error" not in evidence["dataset"] and "error" not in evidence["collate"]:
            evidence["spawn"] = spawned(dataset, collate)
        else:
            evidence["spawn"] = {
                "error": evidence["dataset"].get("error") or evidence["collate"].get("error")
            }
    except NotImplementedError:
        evidence = {"untouched": True}
    Path(result).write_text(json.dumps(evidence))


if __name__ == "__main__":
    main(*sys.argv[1:])

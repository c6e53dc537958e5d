"""What loaders of the scripts take with many samples, ranks and workers, without an image: a table.

Run it as `python tools/loader_scale.py [SAMPLES]` (14 million, if not given); some minutes, and 1.5 GB in a temporary folder.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from loaderlab.scripts.distributed_sampler import EvenSampler
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.packed_file import HEAD, HEAD_BYTES, MAGIC, RECORD, VERSION
from loaderlab.scripts.shard_plan import Plan, Setting
from loaderlab.scripts.shards import Shards


def timed(name: str, work: Callable[[], Any]) -> Any:
    """Print the processor's seconds, and the most memory that this process has had beyond what it had before (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")  # forgets the most so far
    before, begin = peak(), time.process_time()
    found = work()
    print(f"{name:62} {time.process_time() - begin:6.2f} s   {peak() - before:6.0f} MiB", flush=True)
    return found


def peak() -> float:
    """Return the most memory of this process, in MiB."""
    (line,) = (
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) / 1024


def index(file: Path, samples: int) -> None:
    """Write a packed file of so many images, each of which has the same single byte."""
    with open(file, "wb") as out:
        out.write(bytes(HEAD_BYTES) + b"\0")
        names = [f"class/{number:09d}.jpg" for number in range(samples)]
        about = {"folder": "", "classes": ["class"], "shorter": None, "mark": "", "whole": samples}
        out.write(json.dumps({**about, "names": names, "left_out": []}).encode())
        at = out.tell()
        record = np.array([(HEAD_BYTES, 1, 0, 500, 375, -1, 1)], dtype=RECORD)
        out.writelines(
            np.repeat(record, min(1 << 20, samples - first)).tobytes() for first in range(0, samples, 1 << 20)
        )
        end = out.tell()
        out.seek(0)
        out.write(HEAD.pack(MAGIC, VERSION, samples, HEAD_BYTES + 1, at, end))


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 14_000_000
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "p"
        apart = multiprocessing.Process(target=index, args=(file, samples))  # its memory is not counted
        apart.start()
        apart.join()
        batches = timed("packed file: loader made", lambda: loader(file, 64, workers=0, ranks=8, rank=3))
        timed("packed file: indices of the first batch", lambda: next(iter(batches.batch_sampler)))
        state = timed("packed file: state_dict", batches.state_dict)
        state["done"] = samples // 2
        timed("packed file: load_state_dict in the middle", lambda: batches.load_state_dict(state))
        timed("packed file: indices of the next batch", lambda: next(iter(batches.batch_sampler)))
        timed("packed file: name of an image", lambda: batches.dataset.pack.name(samples - 1))
        parts = timed(
            "indices of 8 ranks, one after the other",
            lambda: [np.array(EvenSampler(samples, 8, rank).indices(), np.int32) for rank in range(8)],
        )
        assert len(np.unique(np.concatenate(parts))) == samples
    shards = samples // 1400
    counts = [len(range(k, samples, shards)) for k in range(shards)]
    about = Shards("nowhere", [f"{k}" for k in range(shards)], counts, counts, ["class"])
    plan, setting = Plan(about, 0, 0, True, "pad", False), Setting(64, 256, (8,) * 8)
    steps = samples // 64 // 8 // 2
    timed(f"{shards} shards, 8 ranks × 8 workers: the plan of a rank", lambda: plan.pieces(setting, 3))
    timed("shards: go on in the middle, same setting", lambda: plan.ahead(setting, 3, steps))
    rest = timed("shards: go on in the middle, 8 ranks before, 5 now", lambda: plan.rest(setting, steps))
    now = [rest.pieces(Setting(64, 256, (8,) * 5), rank) for rank in range(5)]
    came = np.concatenate([part for rank in now for worker in rank for _k, part in worker])
    assert len(np.unique(came)) == samples - steps * 64 * 8


if __name__ == "__main__":
    main()

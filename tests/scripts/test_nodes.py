"""Training on several nodes, here two launches of torchrun on one machine: shards by node, and one node that comes back."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from loaderlab.scripts.images import synthetic

pytest.importorskip("webdataset")

COUNT, SHARDS, BATCH = 240, 8, 4

TRAINING = """
import json, os, time, torch, torch.distributed as dist
from datetime import timedelta
from pathlib import Path
from loaderlab.scripts import shard_images
from loaderlab.scripts.webdataset_loader import loader

dist.init_process_group("gloo", timeout=timedelta(seconds=20))
opened = []
usual = shard_images.Shards.opened
shard_images.Shards.opened = lambda self, which, storage: opened.extend(which) or usual(self, which, storage)
# The number of each image that is decoded, in the order of the labels.
decoded = []
shard_images.Augmentation.change = lambda self, places, epoch, indices: decoded.extend(indices)
batches = loader("shards", 4, size=32, workers=0, buffer=8, seed=1)
saved = Path("checkpoint.json")
been = json.loads(saved.read_text()) if saved.exists() else {"steps": [], "state": batches.state_dict()}
batches.load_state_dict(been["state"])
first = been["state"]["epoch"]
while batches.epoch < 2:
    decoded.clear()
    for images, labels in batches:
        time.sleep(0.15)
        mine, decoded[:] = decoded[-len(labels):], []
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, [os.environ["NODE"], batches.state_dict(), mine, opened[:]])
        assert all(one[1] == everyone[0][1] for one in everyone), "one state"
        been["steps"].append([[node, numbers, shards] for node, _state, numbers, shards in everyone])
        been["state"] = everyone[0][1]
        if dist.get_rank() == 0:
            Path("checkpoint.new").write_text(json.dumps(been))
            os.replace("checkpoint.new", saved)
    opened.clear()
dist.barrier()
dist.destroy_process_group()
"""


def node(name: str, port: int, cwd: Path) -> subprocess.Popen[bytes]:
    settings = {
        "OMP_NUM_THREADS": "1",
        "PET_LOCAL_ADDR": "127.0.0.1",
        "GLOO_SOCKET_IFNAME": "lo",
        "NODE": name,
        # With the store that agents share, a node that joins waits in vain for the address of the first round's (torch 2.13).
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    }
    options = ["--nnodes=1:2", "--nproc-per-node=1", "--max-restarts=9", "--rdzv-backend=c10d", "--rdzv-id=1"]
    options += [f"--rdzv-endpoint=127.0.0.1:{port}", "--monitor-interval=0.3"]
    options += ["--rdzv-conf=last_call_timeout=3"]
    command = [sys.executable, "-m", "torch.distributed.run", *options, "train.py"]
    with open(cwd / f"{name}.log", "ab") as log:
        return subprocess.Popen(
            command, cwd=cwd, env=os.environ | settings, stdout=log, stderr=log, start_new_session=True
        )


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a node, its agent and its ranks, as when its machine goes."""
    agent = psutil.Process(process.pid)
    for one in [*agent.children(), agent]:
        one.kill()
    process.wait()


def steps(cwd: Path) -> list[Any]:
    path = cwd / "checkpoint.json"
    return json.loads(path.read_text())["steps"] if path.exists() else []


def reached(port: int) -> bool:
    """Return whether someone listens there."""
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", port)) == 0


def wait(of: Callable[[], bool], *processes: subprocess.Popen[bytes], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not of():
        assert time.monotonic() < deadline, "too long"
        assert all(process.poll() in (None, 0) for process in processes)
        time.sleep(0.1)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="signals")
def test_a_node_that_goes_and_comes_back_loses_and_doubles_nothing(tmp_path: Path) -> None:
    from loaderlab.scripts.shards import write

    write(synthetic(tmp_path / "images", COUNT, 60, 50), tmp_path / "shards", SHARDS)
    (tmp_path / "train.py").write_text(TRAINING)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = [stays := node("stays", port, tmp_path)]
    try:
        wait(lambda: reached(port), stays)  # it has the store of the meeting, and so is the one that stays
        started.append(goes := node("goes", port, tmp_path))
        wait(lambda: len(steps(tmp_path)) > 5 and len(steps(tmp_path)[-1]) == 2, *started)
        ended(goes)
        wait(lambda: len(steps(tmp_path)[-1]) == 1, stays)
        alone = len(steps(tmp_path))
        wait(lambda: len(steps(tmp_path)) > alone + 3, stays)
        started.append(comes := node("goes", port, tmp_path))
        wait(lambda: len(steps(tmp_path)[-1]) == 2, stays, comes)
        wait(lambda: stays.poll() == 0 and comes.poll() == 0, stays, comes)
    except AssertionError as error:
        raise AssertionError((tmp_path / "stays.log").read_text()[-3000:]) from error
    finally:
        for process in started:
            if process.poll() is None:
                ended(process)
    made = steps(tmp_path)
    ranks = [len(step) for step in made]
    assert ranks[0] in (1, 2) and 1 in ranks[1:] and ranks[-1] == 2
    seen = Counter(number for step in made for _node, numbers, _shards in step for number in numbers)
    assert set(seen) == set(range(COUNT)) and 2 * COUNT <= sum(seen.values()) <= 2 * COUNT + 4
    # Where the node was back before the last epoch began, two read it: each had shards of its own.
    if all(len(step) == 2 for step in made[-COUNT // (2 * BATCH) :]):
        whole = [set(shards) for _node, _numbers, shards in made[-1]]
        assert not whole[0] & whole[1] and whole[0] | whole[1] == set(range(SHARDS))

"""Ranks of a training, forked from the process of a test that has torch: what `torchrun` starts imports it once for each of them."""

from __future__ import annotations

import multiprocessing
import os
import socket
import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist


def together(role: Callable[[int], Any], ranks: int = 4) -> list[Any]:
    """Return what so many ranks with gloo return; they are forked, so the test's own functions are their roles."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("fork")
    answers: Any = context.SimpleQueue()

    def run(rank: int) -> None:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        torch.set_num_threads(1)
        try:
            dist.init_process_group(
                "gloo",
                init_method=f"tcp://127.0.0.1:{port}",
                rank=rank,
                world_size=ranks,
                timeout=timedelta(minutes=5),
            )
            answers.put((rank, role(rank)))
            dist.barrier()  # the store is rank 0's
        except BaseException:  # noqa: BLE001 (told by the test; pytest.raises that waits in vain has no other kind)
            answers.put((rank, traceback.format_exc()))
        os._exit(0)

    processes = [context.Process(target=run, args=(rank,)) for rank in range(ranks)]
    for process in processes:
        process.start()
    found = dict(answers.get() for _process in processes)
    for process in processes:
        process.join()
    return [found[rank] for rank in range(ranks)]

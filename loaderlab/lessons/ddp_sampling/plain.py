"""Run by ``launch`` instead of torchrun where PyTorch has no libuv, without which torchrun fails: the ranks of one host.

Usage: plain.py --standalone --nproc-per-node=RANKS SCRIPT [ARGUMENT …], as torchrun's
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(arguments: list[str]) -> int:
    """Start the ranks, and wait for all; the status of the first that fails, after which the others are ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--standalone", action="store_true", required=True)
    parser.add_argument("--nproc-per-node", type=int, required=True)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    ranks = options.nproc_per_node
    settings = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "USE_LIBUV": "0"}
    settings |= dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE"), str(ranks))
    started = [
        subprocess.Popen(
            [sys.executable, *options.command],
            env=os.environ | settings | dict.fromkeys(("RANK", "LOCAL_RANK"), str(rank)),
        )
        for rank in range(ranks)
    ]
    while True:
        statuses = [process.poll() for process in started]
        if failed := [status for status in statuses if status]:
            for process in started:
                process.kill()
            return failed[0]
        if None not in statuses:
            return 0
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Spawn without an interpreter that starts and imports torch once more: a fork of a process that is as clean as that.

``multiprocessing`` spawns by one command, ``python -c "…spawn_main(…)"`` with some open files; everything else, from the
modules to import to the function to call, comes over a pipe. The *seed* was forked before anything of an answer ran, and
runs that command in forks of itself: nothing is inherited that a fresh interpreter had not, but for what is imported
already and the seed of ``hash``. As after a real spawn, the script is the parent of what it started.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import util
from typing import Any

from loaderlab.teaching.grading import kernel

SPAWN = "--multiprocessing-fork"  # the last word of the command, by which the child knows itself
LONGEST = 128 * 1024  # bytes of an order: the command, and the environment
MOST = 250  # open files that the system lets one message carry


def plant() -> None:
    """Let this process, and no other that it starts, spawn by forks of what it is now. Linux only."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        with suppress(BaseException):
            here.close()
            _serve(there)
        os._exit(0)
    there.close()
    kernel.adopt_orphans()
    owner, start = os.getpid(), util.spawnv_passfds

    def spawn(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        if args[-1] == SPAWN and os.getpid() == owner:
            command = args[args.index("-c") :]  # before it, the interpreter and options that are ours, too
            order = {"command": command, "files": list(map(int, passfds)), "environment": dict(os.environ)}
            with suppress(OSError, ValueError):  # more than a message carries, or the seed is gone
                socket.send_fds(here, [json.dumps(order).encode()], passfds)
                return int(here.recv(32))
        return start(path, args, passfds)

    util.spawnv_passfds = spawn


def status(body: Callable[[], object]) -> int:
    """Run ``body`` as an interpreter runs its script; returns the exit status."""
    try:
        body()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 (as of an interpreter of its own)
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _serve(connection: socket.socket) -> None:
    """Serve as the seed: for each order a fork of it whose parent is gone, so that the script adopts it; its number goes back.

    Only then does the script send what is to be run.
    """
    kernel.die_with_parent()
    while True:
        order, files, _flags, _address = socket.recv_fds(connection, LONGEST, MOST)
        if not order:
            return
        told, tell = os.pipe()
        between = os.fork()
        if between == 0:
            child = os.fork()
            if child == 0:
                _run(json.loads(order), files)
            os.write(tell, str(child).encode())
            os._exit(0)
        os.waitpid(between, 0)
        connection.sendall(os.read(told, 32))
        for number in (told, tell, *files):
            os.close(number)


def _run(order: dict[str, Any], files: Sequence[int]) -> None:
    """Do what ``exec`` does to a process, and then the interpreter: open files at their numbers, the environment, the words."""
    ended = 1
    with suppress(BaseException):
        numbers = order["files"]
        free = max([2, *numbers, *files]) + 1
        copies = [fcntl.fcntl(number, fcntl.F_DUPFD, free) for number in files]
        for number, copy in zip(numbers, copies, strict=True):
            os.dup2(copy, number)
        for number in map(int, os.listdir("/dev/fd")):
            if number not in (0, 1, 2, *numbers):
                with suppress(OSError):
                    os.close(number)
        os.environ.clear()
        os.environ.update(order["environment"])
        option, program, *more = order["command"]
        sys.argv = [option, *more]
        ended = status(lambda: exec(program, {}))
    os._exit(ended)

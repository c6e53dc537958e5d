"""The process that imports torch once, and is forked for every answer.

Its *slots*, one for each answer that may run at the same time, take requests from the grader over a socket each, one
line of JSON at a time, and answer with a line. A slot stays outside of the sandbox that it starts.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import secrets
import select
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from loaderlab import memory
from loaderlab.probing import Probe
from loaderlab.workshop.grading import inside
from loaderlab.workshop.grading.guard import Guard
from loaderlab.workshop.grading.sandbox import Confined, Limits, Protections
from loaderlab.workshop.grading.view import View

if sys.platform == "linux":
    from loaderlab.workshop.grading import kernel

LOOK = 0.5  # seconds between two looks at the memory of an answer and all that it started


@dataclass(frozen=True)
class Slot:
    """One place to run answers, one after the other."""

    probes: Mapping[tuple[str, str], Probe]
    view: View
    protections: Protections
    guard: Guard

    def serve(self, connection: socket.socket) -> None:
        """Answer requests until the grader hangs up."""
        if sys.platform == "linux":
            kernel.die_with_parent()
            kernel.adopt_orphans()
        with connection, connection.makefile("rw", encoding="utf-8") as stream:
            for line in stream:
                stream.write(json.dumps(self.grade(json.loads(line))) + "\n")
                stream.flush()

    def grade(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run one answer and its probe in a sandbox: ``status``, and with it what :func:`inside.run` wrote."""
        probe = self.probes[request["lesson"], request["exercise"]]
        limits = Limits(seconds=inside.DEFINING + probe.seconds + 5)
        token = secrets.token_hex(16)
        begun, used = time.monotonic(), _cpu()
        evidence, sink = os.pipe()
        confined = Confined(
            lambda: inside.run(request, probe, self.guard, sink, token),
            self.view,
            self.protections,
            limits,
            keep=sink,
        )
        os.close(sink)
        try:
            response = _received(evidence, confined, limits, token)
        finally:
            os.close(evidence)
            confined.kill()
        return response | {"starved": _starved(time.monotonic() - begun, _cpu() - used)}


def _received(evidence: int, confined: Confined, limits: Limits, token: str) -> dict[str, Any]:
    """Wait for the line of evidence; what ended the waiting where none came."""
    data, begun = b"", time.monotonic()
    looked, ended = begun, None
    while True:
        if select.select([evidence], [], [], 0.05)[0]:
            chunk = os.read(evidence, 1 << 16)
            data += chunk
            if len(data) > limits.evidence:
                return {"status": "evidence"}
            if data.endswith(b"\n") or not chunk:
                break
        elif ended is not None:
            break
        now = time.monotonic()  # also where something came: it may come one byte at a time
        ended = confined.ended()  # and then look once more whether something came
        if now - begun > limits.seconds:
            return {"status": "time"}
        if now - looked > LOOK:
            looked = now
            # The system has no such limit for root.
            if len(psutil.Process().children(recursive=True)) > limits.processes + 10:
                return {"status": "processes"}
            used = memory.total(memory.tree(itself=False).values())
            if (used.pss or used.uss or used.rss) > limits.memory:
                return {"status": "memory"}
    if data.endswith(b"\n") or not token.encode().startswith(data[: len(token)]):  # else: nothing, or cut off
        return _read(data, token)
    until = time.monotonic() + 2  # it has closed the pipe, and so will end
    while confined.ended() is None and time.monotonic() < until:
        time.sleep(0.01)
    return {"status": "ended", "code": confined.ended()}


def _read(data: bytes, token: str) -> dict[str, Any]:
    """What a line says, if it is one of ours."""
    with suppress(ValueError, RecursionError):
        found = json.loads(data[len(token) :])
        if data.startswith(token.encode()) and isinstance(found, dict) and _is_flat(found):
            return found | {"status": "probed"}
    return {"status": "forged"}


def _is_flat(value: Any) -> bool:
    """Whether lists and dicts are nested no deeper than any probe's: whoever reads more may run out of stack."""
    layer = [value]
    for _level in range(50):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return not layer


def _cpu() -> float:
    """Seconds of CPU that all answers of this slot have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _starved(seconds: float, cpu: float) -> bool:
    """Whether an answer had to wait for a busy machine most of its time, so that its limits say nothing about it."""
    return cpu < seconds / 2 and os.getloadavg()[0] > 2 * (os.cpu_count() or 1)


def main() -> None:
    """Begin: what to do stands in the one argument, as JSON; ``ready`` is said on the first socket."""
    order = json.loads(sys.argv[1])
    if sys.platform == "linux":
        kernel.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's business
    import torch.utils.data

    from loaderlab import course

    torch.set_num_threads(1)
    for statement in order["imports"]:
        with suppress(Exception):
            exec(statement, {})
    probes = {
        (name, probe.name): probe
        for name in order["lessons"]
        for probe in course.Lesson(name, 0, 0).probes().values()
    }
    for module in {module for probe in probes.values() for module in probe.imports}:
        importlib.import_module(module)
    for name in order["quiet"]:
        os.environ.pop(name, None)
    view = View(Path(order["kit"]), tuple(map(Path, order["hidden"])), Path(order["point"]), Limits(0).room)
    connections = [socket.socket(fileno=number) for number in order["sockets"]]
    if sys.platform == "linux":
        kernel.adopt_orphans()
    protections = Protections.found(view)
    guard = Guard()
    ready = {"apart": protections.apart, "user": protections.user}
    connections[0].sendall((json.dumps(ready) + "\n").encode())
    slots = []
    for connection in connections:
        slots.append(os.fork())
        if slots[-1] == 0:
            status = 1
            with suppress(KeyboardInterrupt):
                for other in connections:
                    if other is not connection:
                        other.close()
                user = None if protections.user is None else protections.user + len(slots)
                Slot(probes, view, Protections(protections.apart, user), guard).serve(connection)
                status = 0
            os._exit(status)
    for connection in connections:
        connection.close()
    while psutil.Process().children():
        os.wait()


if __name__ == "__main__":
    main()

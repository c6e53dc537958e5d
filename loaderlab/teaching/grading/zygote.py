"""The process that imports torch once, and is forked for every answer.

Its *slots*, one for each answer that may run at the same time, take requests from the grader over a socket each, one
at a time, and answer with a line of JSON. A slot stays outside of the sandboxes that it starts.
"""

from __future__ import annotations

import gc
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from loaderlab.exercises.probing import Probe
from loaderlab.measuring import memory
from loaderlab.teaching.grading import runner
from loaderlab.teaching.grading.guard import Guard
from loaderlab.teaching.grading.limits import Limits
from loaderlab.teaching.grading.mounts import View
from loaderlab.teaching.grading.sandbox import Confined, Protections, in_kernel
from loaderlab.teaching.grading.throwaway_users import Strangers, sweep

if sys.platform == "linux":
    from loaderlab.teaching.grading import kernel, landlock

LOOK = 0.5  # seconds between two looks at the memory of an answer and all that it started
LONG = 10.0  # seconds after which it is asked whether the machine was busy
SAMPLE = 0.4  # seconds: some periods of a container's limit
ENOUGH = 0.5  # of a core


@dataclass(frozen=True)
class Slot:
    """One place to run answers, one after the other."""

    probes: Mapping[tuple[str, str], Probe]
    view: View
    protections: Protections
    guard: Guard

    def serve(self, connection: socket.socket) -> None:
        """Answer requests until the grader hangs up: each in a fork, so that nothing of it is left here for the next.

        Of a request this process sees what is to be probed. The rest is in an open file that comes with it, which only
        the process reads that runs the answer.
        """
        if sys.platform == "linux":
            kernel.die_with_parent()
            kernel.adopt_orphans()
        while True:
            line, files, _flags, _address = socket.recv_fds(connection, 4096, 1)
            if not line:
                return
            pid = os.fork()
            if pid == 0:
                status = 1
                with suppress(BaseException):
                    response = self.grade(json.loads(line), files[0])
                    connection.sendall((json.dumps(response) + "\n").encode())
                    status = 0
                os._exit(status)
            os.close(files[0])
            if os.waitpid(pid, 0)[1]:
                return  # the grader notices, and tries once more

    def grade(self, head: Mapping[str, Any], request: int) -> dict[str, Any]:
        """Run one answer and its probe in a sandbox: ``status``, and with it what :func:`inside.run` wrote."""
        if sys.platform == "linux":
            kernel.die_with_parent()
            kernel.adopt_orphans()
        probe = self.probes[head["lesson"], head["exercise"]]
        if head["glance"] and probe.glance:
            probe = replace(probe, run=probe.glance)
        limits = Limits.of(probe)
        token = secrets.token_hex(16)
        begun = time.monotonic()
        evidence, sink = os.pipe()

        def body() -> None:
            with os.fdopen(request, encoding="utf-8") as file:
                content = json.load(file)
            runner.run(content, probe, self.guard, sink, token)

        confined = Confined(body, self.view, self.protections, limits, keep=(sink, request))
        os.close(sink)
        try:
            response = _received(evidence, confined, limits, token)
            used = _cpu()
        finally:
            os.close(evidence)
            confined.kill()
            if self.protections.user is not None and not self.protections.isolated:
                sweep(self.protections.user)
        return response | {"starved": _starved(time.monotonic() - begun, used)}


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
            processes = psutil.Process().children(recursive=True)
            if len(processes) > limits.processes + 10:  # the system has no such limit for root
                return {"status": "processes"}
            used = memory.total(memory.each(processes).values())
            hidden = in_kernel(processes)
            if (used.pss or used.uss or used.rss) + hidden > limits.memory:
                return {"status": "memory"}
    if data.endswith(b"\n") or not token.encode().startswith(data[: len(token)]):  # else: nothing, or cut off
        return _read(data, token)
    until = time.monotonic() + 2  # it has closed the pipe, and so will end
    while confined.ended() is None and time.monotonic() < until:
        time.sleep(0.01)
    return {"status": "ended", "code": confined.ended()}


def _read(data: bytes, token: str) -> dict[str, Any]:
    """Return the content of a line, if it is one of ours."""
    with suppress(ValueError, RecursionError):
        found = json.loads(data[len(token) :])
        if data.startswith(token.encode()) and isinstance(found, dict) and _is_flat(found):
            return found | {"status": "probed"}
    return {"status": "forged"}


def _is_flat(value: Any) -> bool:
    """Return whether lists and dicts are nested no deeper than any probe's: whoever reads more may run out of stack."""
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
    """Return the seconds of CPU that the answer has used, and all that it started."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = ended.ru_utime + ended.ru_stime
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])
    return total


def _starved(seconds: float, cpu: float) -> bool:
    """Return whether an answer that took so long had to wait for a busy machine, so that its limits say nothing about it."""
    return seconds >= LONG and cpu < seconds / 2 and _share_of_a_core() < ENOUGH


def _share_of_a_core() -> float:
    """Return how much of a core this process gets now, when it wants all of it: neighbours and containers' limits both count."""
    begun, used = time.monotonic(), time.process_time()
    while time.monotonic() - begun < SAMPLE:
        pass
    return (time.process_time() - used) / (time.monotonic() - begun)


def _keeps_signals_inside(protections: Protections) -> bool:
    if protections.isolated or protections.user is not None:
        return True
    return protections.fenced and landlock.keeps_signals_inside()


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
    strangers = Strangers(len(connections) if os.geteuid() == 0 else 0)
    users = strangers.numbers  # ours as long as this object lives
    protections = Protections.found(view, users[0] if users else None)
    guard = Guard()
    ready = asdict(protections) | {"root": os.geteuid() == 0, "signals": _keeps_signals_inside(protections)}
    gc.collect()
    gc.freeze()  # what a fork collects is its own: neither time nor copies of pages for all that torch has
    connections[0].sendall((json.dumps(ready) + "\n").encode())
    slots = []
    for number, connection in enumerate(connections):
        slots.append(os.fork())
        if slots[-1] == 0:
            status = 1
            with suppress(KeyboardInterrupt):
                for other in connections:
                    if other is not connection:
                        other.close()
                user = None if protections.user is None else users[number]
                Slot(probes, view, replace(protections, user=user), guard).serve(connection)
                status = 0
            os._exit(status)
    for connection in connections:
        connection.close()
    while psutil.Process().children():
        os.wait()

"""What a script spawns in the grader is what it would spawn anywhere, but for the seconds that takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from loaderlab.exercises.probing import Probe
from loaderlab.measuring import child
from loaderlab.teaching.grading import forked, runner
from loaderlab.teaching.grading.guard import Guard
from processes import works

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="Elsewhere the grader spawns as anybody does."
)

GRADER = """
import dataclasses, json, sys
from loaderlab.teaching.grading import forked
outcome = forked.run(sys.argv[1], real=sys.argv[2] == "real", timeout=float(sys.argv[3]))
print(json.dumps(dataclasses.asdict(outcome)))
"""
# It changes whatever a forked child would have from it, then spawns, and prints what the child says of itself.
SCRIPT = """
import builtins, fcntl, json, multiprocessing, os, signal, sys

CHANGED = ["by the module"]


def tell(pipe):
    me = multiprocessing.current_process()
    numbers = [number for number in map(int, os.listdir("/dev/fd")) if number > 2]
    links = [f"/dev/fd/{number}" for number in numbers]
    return {
        "changed": CHANGED,
        "builtins": getattr(builtins, "left", None),
        "modules": "learner" in sys.modules,
        "environment": os.environ.get("LEFT"),
        "argv": sys.argv,
        "path": sys.path[0],
        "folder": os.getcwd(),
        "main": [__name__, sys.modules["__main__"].__name__],
        "names": sorted(set(vars(sys.modules["__main__"])) - {"__cached__"}),
        "process": [me.name, me.daemon, multiprocessing.get_start_method(), len(me.authkey)],
        "parents": [os.getppid(), multiprocessing.parent_process().pid],
        "session": os.getsid(0),
        "files": sum(1 for link in links if os.path.exists(link) and os.path.realpath(link) == SECRET),
        "command": "spawn_main" in open("/proc/self/cmdline").read(),
    }


def work(pipe, how):
    pipe.send(tell(pipe))
    if how == "raises":
        raise KeyError(how)
    if how == "exits":
        sys.exit(7)
    if how == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)


SECRET = os.path.realpath(__file__)

if __name__ == "__main__":
    sys.modules["learner"] = builtins.left = CHANGED
    CHANGED.append("by the script")
    os.environ["LEFT"] = "in the environment"
    file = open(__file__)
    context = multiprocessing.get_context("spawn")
    for how in ("ends", "raises", "exits", "is killed"):
        here, there = context.Pipe()
        child = context.Process(target=work, args=(there, how), daemon=True)
        child.start()
        there.close()
        told = here.recv()
        child.join()
        told["parents"] = [number == os.getpid() for number in told["parents"]]
        told["session"] = told["session"] == os.getsid(0)
        print(json.dumps(told | {"how": how, "exit": child.exitcode}), flush=True)
"""
MANY = """
import multiprocessing, resource, sys

def count(pipes):
    sys.exit(len(pipes) % 100)

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe(duplex=False)[0] for _number in range(301)]
    child = context.Process(target=count, args=(pipes,))
    child.start()
    child.join()
    print(child.exitcode)
"""
HANGS = """
import multiprocessing, os, time

def hang():
    time.sleep(600)

if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=hang)
    child.start()
    print(os.getsid(0), flush=True)
    child.join()
"""


def graded(script: Path, how: str = "seed", timeout: float = 60) -> dict[str, object]:
    command = [sys.executable, "-c", GRADER, str(script), how, str(timeout)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)


def test_a_spawned_child_has_nothing_of_the_script_that_a_fresh_interpreter_had_not(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    told = {}
    for how in ("real", "seed"):
        outcome = graded(script, how)
        assert outcome["status"] == 0 and "KeyError: 'raises'" in outcome["errors"], outcome
        told[how] = [json.loads(line) for line in outcome["output"].splitlines()]
        commands = {child.pop("command") for child in told[how]}
        assert commands == {how == "real"}, "it was to be started in the other way"
    assert [child["exit"] for child in told["real"]] == [0, 1, 7, -9]
    assert told["seed"] == told["real"]


def test_a_child_that_takes_more_files_than_a_message_carries_is_spawned_all_the_same(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(MANY, "utf-8")
    assert graded(script)["output"].split() == ["1"]


@pytest.mark.long
def test_of_a_script_that_is_stopped_neither_the_seed_is_left_nor_what_it_started(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(HANGS, "utf-8")
    for seconds in (5, 80):  # the second time, where the machine is so slow that the child had not begun
        outcome = graded(script, timeout=seconds)
        if outcome["output"].strip():
            break
    assert outcome["status"] is None and outcome["output"].strip(), outcome
    session = int(outcome["output"])
    assert not [pid for pid in psutil.pids() if _session(pid) == session and works(pid)]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


@pytest.mark.parametrize("alone", [True, False])
def test_where_rates_are_compared_a_spawn_is_real(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "run", child.run)  # it replaces this, in a process of its own
    monkeypatch.setattr(forked, "run", lambda script, real: real)
    read, write = os.pipe()
    probe = Probe("answer", "file", lambda path: child.run(path), serial=alone, parts=("answer",))  # noqa: PLW0108 (it is replaced later)
    request = {"files": {"answer.py": "def answer(): return 1\n"}, "file": "answer.py"}
    runner.run(request, probe, Guard(), write, "token")
    os.close(write)
    with os.fdopen(read) as said:
        collected = json.loads(said.read().removeprefix("token"))["collected"]
    assert collected["evidence"] is alone, collected

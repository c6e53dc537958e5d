"""Lesson 7: its launches end whatever happens and leave nothing, and its pictures show what the samplers do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.lessons.ddp_sampling import grids, launch, sampling, scene
from loaderlab.notebook.explorer import Explorer
from places import ROOT, scripts
from processes import running
from waiting import within

LESSON = course.lesson("ddp_sampling")
posix = pytest.mark.skipif(sys.platform == "win32", reason="Signals as POSIX has them.")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Only Linux adopts the processes of others.")
STALL = """
import json, os, time
print(json.dumps({"rank": int(os.environ["RANK"])}), flush=True)
if os.environ["RANK"] == "1":
    time.sleep(600)
"""
CALL = """
import sys
from loaderlab import course
from loaderlab.lessons.ddp_sampling import launch
launch.torchrun("--standalone", "--nproc-per-node=2", sys.argv[1], timeout=180)
"""


@pytest.fixture(autouse=True)
def english():
    language.use("en")


@pytest.fixture
def stalling(tmp_path):
    path = tmp_path / "stall.py"
    path.write_text(STALL)
    yield path
    left = gone(path)
    for process in left:
        process.kill()
    assert not left


@pytest.fixture
def folder(tmp_path):
    """The scripts that the notebook writes."""
    for name, text in scripts(LESSON).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def gone(script: Path) -> list[psutil.Process]:
    """What of a launch is left after some seconds."""
    within(120, lambda: not running(script))
    return running(script)


def until(count: int, script: Path) -> None:
    """Wait until so many processes have this script on their command line."""
    assert within(120, lambda: len(running(script)) >= count)


@pytest.mark.long
def test_a_rank_that_stalls_is_stopped_and_nothing_is_left(stalling):
    for seconds in (8, 40):  # the second time, where the machine is so slow that the ranks had not begun
        stopped = launch.torchrun("--standalone", "--nproc-per-node=2", stalling, timeout=seconds)
        assert stopped.status is None and "was stopped" in repr(stopped) and not running(stalling)
        if len(stopped.rows) == 2:
            break
    assert [row["rank"] for row in stopped.rows] == [0, 1]


@pytest.mark.long
@posix
@pytest.mark.parametrize(
    "how", [signal.SIGINT, getattr(signal, "SIGKILL", None)], ids=["interrupted", "killed"]
)
def test_what_calls_a_launch_ends_and_nothing_is_left(how, stalling, tmp_path):
    """A notebook that is interrupted, and one whose kernel is killed. Its command line has the script, too."""
    # What is killed removes no temporary files.
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    caller = subprocess.Popen(
        [sys.executable, "-c", CALL, str(stalling)], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        until(4, stalling)  # caller, guard, torchrun, and rank 1, for rank 0 ends
        caller.send_signal(how)
        caller.wait(timeout=60)
        assert gone(stalling) == []
    finally:
        caller.kill()
        caller.wait()


@pytest.mark.long
@linux
def test_ranks_whose_torchrun_is_killed_are_ended(stalling, monkeypatch):
    """They have sessions of their own, and would go on for ever."""
    killed = []

    def run(script, *arguments, timeout):
        process = subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.DEVNULL)
        try:
            until(3, stalling)
            time.sleep(2)  # the ranks are up
            agents = [p for p in running(stalling) if "torch.distributed.run" in p.cmdline()]
            agent = next(p for p in agents if p.ppid() == process.pid)
            killed.append(agent.pid)
            agent.kill()
            return launch.child.Outcome(process.wait(timeout=60), "", "")
        finally:
            process.kill()
            process.wait()

    monkeypatch.setattr(launch.child, "run", run)
    assert launch.torchrun("--standalone", "--nproc-per-node=2", stalling).status == -signal.SIGKILL % 256
    assert killed


def test_ranks_that_print_at_the_same_time_are_both_read():
    output = 'torch says {hello}\n{"rank": 1}{"rank": 0, "indices": [1]}\n\n{"rank": 2'
    rows = launch.Launched(0, output, "", 1.0).rows
    assert rows == [{"rank": 0, "indices": [1]}, {"rank": 1}]


def test_a_launch_that_fails_says_why(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text("raise ValueError('no such shard')\n")
    failed = launch.torchrun("--standalone", "--nproc-per-node=1", script)
    assert failed.status not in (0, None) and "no such shard" in repr(failed)


# Stands for a torch built without libuv, as those for Windows are.
NO_LIBUV = """
import torch.distributed as distributed
import torch.distributed.rendezvous as rendezvous

class TCPStore(distributed.TCPStore):
    def __init__(self, *arguments, use_libuv=True, **options):
        if use_libuv:
            raise RuntimeError("use_libuv was requested but PyTorch was built without libuv support")
        super().__init__(*arguments, use_libuv=False, **options)

distributed.TCPStore = rendezvous.TCPStore = TCPStore
"""


@pytest.mark.long
def test_a_torch_without_libuv_launches_its_ranks_and_what_torchrun_says_names_the_cause(
    tmp_path, folder, monkeypatch
):
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text(NO_LIBUV)
    without = {"PYTHONPATH": str(tmp_path / "without")}
    call = "--standalone", "--nproc-per-node=2", folder / "train.py"
    monkeypatch.setattr(launch.machine, "has_libuv", lambda: True)
    failed = launch.torchrun(*call, environment=without)
    assert failed.status not in (0, None) and "without libuv" in repr(failed)
    monkeypatch.setattr(launch.machine, "has_libuv", lambda: False)
    real = launch.torchrun(*call, environment=without)
    assert real.status == 0, real.errors[-2000:]
    assert [row["indices"] for row in real.rows] == [
        order for epoch in range(2) for order in sampling.orders(11, 2, epoch=epoch)
    ]


def test_without_torchrun_a_rank_that_fails_ends_the_others(stalling, monkeypatch):
    stalling.write_text(f"{STALL}\nif os.environ['RANK'] == '0': raise ValueError('no such shard')\n")
    monkeypatch.setattr(launch.machine, "has_libuv", lambda: False)
    failed = launch.torchrun("--standalone", "--nproc-per-node=2", stalling, timeout=120)
    assert failed.status not in (0, None) and "no such shard" in repr(failed)


@pytest.mark.long
@linux
def test_a_machine_whose_name_nobody_knows_can_launch(tmp_path, folder):
    command = ["unshare", "-u"] if os.geteuid() == 0 else ["unshare", "-Uru"]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("This system allows no name of one's own.")
    call = CALL.replace("launch.torchrun(", "print(launch.torchrun(").replace("=180)", "=180))")
    script = folder / "train.py"
    inner = f'hostname nobody-knows-it && exec "{sys.executable}" -c "$1" "$2"'
    outcome = subprocess.run(
        [*command, "bash", "-c", inner, "bash", call, str(script)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=220,
    )
    assert "lines of its ranks: 4" in outcome.stdout, outcome.stdout + outcome.stderr[-2000:]


@pytest.mark.parametrize(
    ("length", "ranks", "drop_last", "duplicates", "lost"),
    [(10, 4, False, 2, 0), (10, 4, True, 0, 2), (3, 8, False, 5, 0), (3, 8, True, 0, 3)],
)
def test_duplicates_and_losses_are_counted(length, ranks, drop_last, duplicates, lost):
    for epoch in range(3):
        found = sampling.Epoch(sampling.orders(length, ranks, drop_last=drop_last, epoch=epoch), length)
        assert (found.duplicates, len(found.lost)) == (duplicates, lost)


def test_without_set_epoch_a_rank_sees_only_its_own_part():
    always = [sampling.orders(40, 4) for _epoch in range(10)]
    told = [sampling.orders(40, 4, epoch=epoch) for epoch in range(10)]
    assert [sum(map(bool, row)) for row in sampling.visits(always, 40)] == [10] * 4
    assert min(sum(map(bool, row)) for row in sampling.visits(told, 40)) > 30


def test_what_the_loader_drops_is_lost_for_all():
    epoch = sampling.Epoch(sampling.orders(26, 4), 26, batch_size=3, loader_drops=True)
    assert (epoch.steps, epoch.last, len(epoch.lost)) == (2, 3, 2)
    assert "Seen by nobody: 2" in grids.summary(epoch)


def test_the_sentence_says_what_rank_0_has_seen():
    explorer = Explorer(scene.SCENES[0])
    explorer.set(epoch=19, set_epoch=False)
    assert "rank 0 has seen 7 of 26 samples (27%)" in explorer.sentence
    explorer.set(samples=3, ranks=8, sampler_drop_last=True)
    assert "No rank gets a single batch. Seen by nobody: 3." in explorer.sentence

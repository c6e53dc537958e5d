"""How the scripts end when something else does: a process that dies, Ctrl-C, a rank that is alone."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hostile
from loaderlab.scripts import limit as limiting
from loaderlab.scripts import machine, packing, shards, shell
from loaderlab.scripts.images import ImageError, synthetic
from loaderlab.scripts.packing import pack
from processes import children, python
from waiting import within

FORK = pytest.mark.skipif(
    multiprocessing.get_start_method() != "fork", reason="what is replaced here is forked"
)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    pack(synthetic(tmp_path / "images", 12, 60, 50), tmp_path / "p")
    return tmp_path / "p"


def killed(*arguments: Any) -> None:
    """What a process does that the system ends for want of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_the_limit_leaves_damaged_images_out(packed: Path) -> None:
    for number in range(0, 12, 2):
        hostile.damage(packed, number)  # all that the first of two processes has
    assert limiting.limit(packed, "pillow", 32, processes=2) > 0
    for number in range(1, 12, 2):
        hostile.damage(packed, number)
    with pytest.raises(ImageError, match="no readable image"):
        limiting.limit(packed, "pillow", 32, processes=2)


@FORK
def test_the_limit_does_not_wait_for_a_process_that_has_died(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = limiting._work
    # The fourth argument is the number of the process: the first dies, the second waits at the barrier.
    monkeypatch.setattr(limiting, "_work", lambda *given: killed() if given[3] == 0 else work(*given))
    # As where a scheduler's notice lets a training script go on.
    rule = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with pytest.raises(ImageError, match="has failed or was ended from outside"):
            limiting.limit(packed, "pillow", 32, processes=2)
    finally:
        signal.signal(signal.SIGTERM, rule)
    assert not children()


@FORK
def test_in_the_limit_a_slow_process_does_not_hold_up_the_others(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = multiprocessing.Value("q")

    def filled(*_given: Any) -> None:
        with slow.get_lock():
            slow.value = slow.value or os.getpid()
        time.sleep(0.1 if slow.value == os.getpid() else 0.002)

    monkeypatch.setattr(limiting, "fill", filled)
    # With shares dealt out beforehand the slow one would have half of the images: 20 a second.
    assert limiting.limit(packed, "pillow", 32, processes=2, passes=20) > 40


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_what_a_run_left_that_was_ended_is_removed_by_the_next_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    synthetic(tmp_path / "images", 4, 40, 30)
    for name in ("p [1]", "s"):
        code = (
            "import os, pathlib; from loaderlab.scripts.unfinished import unfinished\n"
            f"left = unfinished(pathlib.Path({str(tmp_path / name)!r}))\n"
            f"{'left.mkdir(); left /= chr(120)' if name == 's' else ''}\n"
            "left.write_bytes(bytes(9)); os.kill(os.getpid(), 15)"
        )
        subprocess.run([sys.executable, "-c", code], check=False, timeout=300)
    left = sorted(path.name for path in tmp_path.glob("*.part"))
    host = socket.gethostname()
    others = {tmp_path / f"p [1].{host}.{os.getppid()}.part", tmp_path / f"p [1].elsewhere.{2**22 + 1}.part"}
    for other in others:
        other.write_bytes(b"of a run that goes on")
    pack(tmp_path / "images", tmp_path / "p [1]")
    pytest.importorskip("webdataset")
    shards.write(tmp_path / "images", tmp_path / "s", 2)
    assert len(left) == 2 and set(tmp_path.glob("*.part")) == others
    said = capfd.readouterr().err
    assert all(
        f"{name}: this was left by a run that was ended, and is removed. Its work begins anew." in said
        for name in left
    )


@FORK
def test_packing_does_not_wait_for_a_process_that_has_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synthetic(tmp_path / "images", 64, 20, 20)
    monkeypatch.setattr(packing, "_one", killed)
    with pytest.raises(ImageError, match="ended from outside"):
        pack(tmp_path / "images", tmp_path / "p", processes=2)
    assert not children() and [path.name for path in tmp_path.iterdir()] == ["images"]


@pytest.mark.skipif(sys.platform == "win32", reason="torch watches over its workers by a signal")
@pytest.mark.parametrize("kind", ["efficient_dataloader", "webdataset_loader"])
def test_a_worker_that_dies_ends_the_training(packed: Path, tmp_path: Path, kind: str) -> None:
    shards.write(tmp_path / "images", tmp_path / "s", 2)
    place = packed if kind == "efficient_dataloader" else tmp_path / "s"
    # In a process of its own: torch raises wherever this one happens to be.
    code = (
        f"import psutil\nfrom loaderlab.scripts.{kind} import loader\n"
        f"for step, batch in enumerate(loader({str(place)!r}, 1, size=32, workers=2)):\n"
        "    if not step: psutil.Process().children()[-1].kill()"
    )
    ran = python(code)
    # What is noticed first: the signal, the connection that it closed, or that the worker is gone.
    assert ran.returncode == 1
    said = ("is killed by signal", "ConnectionResetError", "exited unexpectedly")
    assert any(words in ran.stderr for words in said), ran.stderr


def test_a_worker_is_silent_of_one_that_hangs_up_and_of_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    machine.quiet(0)
    for error in (EOFError("gone"), ConnectionResetError("gone"), OSError("full")):
        sys.excepthook(type(error), error, None)
    assert capsys.readouterr().err.strip() == "OSError: full"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
@pytest.mark.parametrize(
    ("script", "options", "sign"),
    [
        ("efficient_dataloader", ["--samples", "600"], "images.pack.*.part"),
        ("efficient_dataloader", ["--samples", "100"], "images.pack"),
        ("webdataset_loader", ["--samples", "100", "--count", "2"], "shards"),
    ],
    ids=["packing", "measuring", "reading shards"],
)
def test_ctrl_c_ends_a_script_with_one_word_and_leaves_nothing(
    tmp_path: Path, script: str, options: list[str], sign: str
) -> None:
    command = [sys.executable, "-m", f"loaderlab.scripts.{script}", "--epochs", "100000", *options]
    with subprocess.Popen(
        command,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert within(300, lambda: bool(list(tmp_path.glob(f"loaderlab-*/{sign}"))))
        time.sleep(1)  # anywhere in what follows
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does it: to all processes
        _out, said = running.communicate(timeout=300)
    assert (said, running.returncode) == ("Stopped.\n", 130)
    assert not list(tmp_path.glob("loaderlab-*"))


def test_an_interrupt_in_a_finalizer_is_heard_and_other_errors_there_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(options: argparse.Namespace, scratch: Path) -> None:
        for lost in (partial(int, "no number"), partial(signal.raise_signal, signal.SIGINT)):
            batch = np.zeros(1)
            weakref.finalize(batch, lost)
            del batch
        for _batch in range(200):
            time.sleep(0.1)

    assert shell.run(argparse.ArgumentParser, interrupted, []) == 130
    said = capsys.readouterr().err
    assert "no number" in said and "KeyboardInterrupt" not in said and said.endswith("Stopped.\n")

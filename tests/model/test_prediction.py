"""The model holds against real DataLoaders, and those leave nothing behind. Table: tools/prediction.py."""

from __future__ import annotations

import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

import prediction
from loaderlab.model.pipeline import Setting, simulate
from loaderlab.model.rehearsal import Burner, rehearse
from processes import children


def workers_left() -> list[psutil.Process]:
    """Children that are still alive, once those that are just ending have had time for it."""
    _gone, alive = psutil.wait_procs(list(children()), timeout=5)
    return alive


@pytest.mark.long
@pytest.mark.serial
def test_the_prediction_is_near_the_measurement() -> None:
    chosen = [replace(prediction.SETTINGS[i], epochs=1) for i in (1, 4, 8, 13, 19, 21)]
    try:
        pace, _whole = prediction.predict(chosen, repeats=2, minutes=0.3)
    except TimeoutError as busy:
        pytest.skip(str(busy))
    if len(pace) < 3:
        pytest.skip("other programs kept this machine busy most of the time")
    # A wide margin; `python tools/prediction.py` says how near.
    assert statistics.mean(map(abs, pace)) < 0.35


@pytest.mark.parametrize("in_order", [True, False])
def test_a_real_run_counts_as_the_model_does(in_order: bool) -> None:
    setting = Setting(2, 3, 2.0, 0.5, 1.0, in_order=in_order)
    real, model = rehearse(setting), simulate(setting)
    for run in (real, model):
        asked = run.deliveries[0].asked
        assert sum(request.time <= asked for request in run.requests) == 6
    count = sorted((d.epoch, d.batch) for d in real.deliveries)
    assert count == sorted((d.epoch, d.batch) for d in model.deliveries)
    kinds = sorted((str(s.row), s.kind) for s in real.spans if s.kind != "load")
    assert kinds == sorted((str(s.row), s.kind) for s in model.spans if s.kind != "load")
    if in_order:
        assert [r.worker for r in real.requests] == [r.worker for r in model.requests]


def test_a_real_batch_has_the_bytes_of_the_setting_and_writing_them_is_part_of_its_load_time() -> None:
    setting = Setting(1, load_ms=60, batch_mib=16)
    burner, used = Burner(setting), time.thread_time()
    assert burner[0][-1].nbytes == 16 * 2**20
    assert 0.06 <= time.thread_time() - used < 0.063  # writing alone takes 4 ms and more


@pytest.mark.parametrize("setting", [Setting(0), Setting(2), Setting(2, persistent_workers=True)])
def test_nothing_is_left_after_a_run(setting: Setting) -> None:
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    rehearse(setting)
    assert multiprocessing.active_children() == []
    assert workers_left() == []
    if cores:
        assert os.sched_getaffinity(0) == cores


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one's own process")
@pytest.mark.parametrize("after", [0.03, 0.4])
@pytest.mark.parametrize("persistent", [True, False])
def test_nothing_is_left_after_an_interrupt(after: float, persistent: bool) -> None:
    timer = threading.Timer(after, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt) as kept:  # holds the traceback, as a notebook does
        rehearse(Setting(4, load_ms=30, batches=200, persistent_workers=persistent))
    assert kept.value.__traceback__
    timer.join()
    assert workers_left() == []


@pytest.mark.long
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_it_works_under_every_start_method(method: str, tmp_path: Path) -> None:
    program = (
        "import multiprocessing\n"
        "from loaderlab.model.pipeline import Setting\n"
        "from loaderlab.model.rehearsal import rehearse\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n"
        "    run = rehearse(Setting(2, load_ms=1, step_ms=1, batches=8, persistent_workers=True))\n"
        "    print(len(run.deliveries), sum(s.kind == 'start' for s in run.spans))\n"
    )
    script = tmp_path / "script.py"
    script.write_text(program)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["16", "2"], done.stderr


def test_cores_that_the_machine_lacks_are_not_pretended() -> None:
    started = time.perf_counter()
    run = rehearse(Setting(1, cores=16, load_ms=1, step_ms=0))
    assert run.setting.cores <= (os.cpu_count() or 1)
    assert run.total_ms <= 1000 * (time.perf_counter() - started)

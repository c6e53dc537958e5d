"""Demonstrations that hang, crash or leave something running do no harm."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from loaderlab.measuring import child
from processes import children, works

SLOWER = (3, 40)  # seconds: the second time, where the machine is so slow that the script had not begun


def script(tmp_path, text):
    path = tmp_path / "script.py"
    path.write_text(text)
    return path


def test_output_and_status_come_back(tmp_path):
    outcome = child.run(
        script(tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    )
    assert (outcome.status, outcome.output, outcome.errors) == (3, "out\n", "err\n")


def test_a_crash_is_a_status(tmp_path):
    assert (
        child.run(script(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")).status == -11
    )


def test_a_script_that_hangs_is_stopped(tmp_path):
    for seconds in SLOWER:
        outcome = child.run(script(tmp_path, "print('here'); import time; time.sleep(600)"), timeout=seconds)
        assert outcome.timed_out
        if outcome.output:
            break
    assert outcome.output == "here\n"


@pytest.mark.skipif(os.name != "posix", reason="sessions of processes are a POSIX thing")
def test_what_the_script_leaves_running_is_ended(tmp_path):
    code = "import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    left = int(child.run(script(tmp_path, code)).output)
    assert not works(left)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no zombies")
def test_nobody_waits_for_what_has_ended_and_is_a_zombie():
    code = (
        "import os, time\nprint(os.posix_spawnp('true', ['true'], os.environ), flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as careless:
        zombie, begun = psutil.Process(int(careless.stdout.readline())), time.monotonic()
        child.await_end([zombie], 40)
        took, status = time.monotonic() - begun, zombie.status()
        careless.kill()
    assert took < 20 and status == psutil.STATUS_ZOMBIE


def test_its_temporary_files_are_removed_even_if_it_is_stopped(tmp_path):
    code = "import tempfile, time\nprint(tempfile.mkstemp()[1], flush=True)\ntime.sleep(600)"
    for seconds in SLOWER:
        outcome = child.run(script(tmp_path, code), timeout=seconds)
        if outcome.output:
            break
    assert outcome.output and not os.path.exists(outcome.output.strip())


@pytest.mark.long
@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="semaphores can be counted in /dev/shm only")
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_semaphores_of_a_script_that_is_stopped_are_removed_and_nothing_is_said_of_them(tmp_path, method):
    code = f"""
import multiprocessing, time
if __name__ == "__main__":
    locks = [multiprocessing.get_context({method!r}).Lock() for _ in range(3)]
    print(*(lock._semlock.name for lock in locks), flush=True)
    time.sleep(600)
"""
    for seconds in SLOWER:
        outcome = child.run(script(tmp_path, code), timeout=seconds)
        if names := outcome.output.split():
            break
    assert outcome.timed_out and len(names) == 3 and outcome.errors == ""
    assert not any(os.path.exists(f"/dev/shm/sem.{name.lstrip('/')}") for name in names)


def test_busy_processes_end_with_the_body():
    before = children()
    with pytest.raises(KeyboardInterrupt), child.busy(2):
        mine = children() - before
        assert len(mine) >= 2
        raise KeyboardInterrupt
    assert not any(process.is_running() for process in mine)


def test_what_is_remembered_of_another_process_of_the_same_number_keeps_none_from_being_ended(monkeypatch):
    """As in a sandbox whose processes are numbered from 1, where psutil remembers those outside of it."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    try:
        other = psutil.Process(process.pid)
        other._ident = (process.pid, 0.0)  # it was begun at another time
        monkeypatch.setattr(psutil, "process_iter", lambda *_attributes: iter([other]))
        child.end_tree(process.pid)
        assert process.poll() is not None
    finally:
        process.kill()
        process.wait()

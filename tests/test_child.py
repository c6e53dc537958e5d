"""Demonstrations that hang, crash or leave something running do no harm."""

import os
import time

import psutil
import pytest

from loaderlab import child


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
    started = time.monotonic()
    outcome = child.run(script(tmp_path, "print('here'); import time; time.sleep(600)"), timeout=2)
    assert outcome.timed_out and outcome.output == "here\n" and time.monotonic() - started < 30


@pytest.mark.skipif(os.name != "posix", reason="sessions of processes are a POSIX thing")
def test_what_the_script_leaves_running_is_ended(tmp_path):
    code = "import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"
    left = int(child.run(script(tmp_path, code)).output)
    assert not psutil.pid_exists(left) or psutil.Process(left).status() == psutil.STATUS_ZOMBIE


def test_its_temporary_files_are_removed_even_if_it_is_stopped(tmp_path):
    code = "import tempfile, time\nprint(tempfile.mkstemp()[1], flush=True)\ntime.sleep(600)"
    outcome = child.run(script(tmp_path, code), timeout=3)
    assert outcome.output and not os.path.exists(outcome.output.strip())


def test_busy_processes_end_with_the_body():
    with pytest.raises(KeyboardInterrupt), child.busy(2):
        mine = psutil.Process().children()
        assert len(mine) >= 2
        raise KeyboardInterrupt
    assert not any(process.is_running() for process in mine)

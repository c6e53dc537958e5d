"""The temporary folder: one in which workers can work, and nothing of dead sessions in it."""

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

import pytest

from loaderlab.measuring import child, temporary
from places import ROOT

posix = pytest.mark.skipif(
    os.name != "posix", reason="Windows has no locks on folders, and no sockets in them."
)

SESSION = """
import sys, time
import loaderlab as lab
print(lab.scratch, flush=True)
time.sleep(600)
"""
LOADER = """
import loaderlab as lab
from torch.utils.data import DataLoader
lab.begin("workers")
print(len(list(DataLoader(lab.data.ZerosDataset(4, 8), num_workers=1))), "batches")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A short temporary folder of our own; the one that pytest gives has a long name (and is made before, where it belongs)."""
    place = tempfile.mkdtemp(prefix="t-")
    monkeypatch.setattr(tempfile, "tempdir", place)
    monkeypatch.setenv("TMPDIR", place)
    yield place
    shutil.rmtree(place)


def grown_old(path):
    past = time.time() - 2 * temporary.YOUNG
    os.utime(path, (past, past))


def session():
    """A process with a scratch folder, and that folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", SESSION], env=environment, stdout=subprocess.PIPE, text=True
    )
    return process, process.stdout.readline().strip()


@posix
def test_what_a_killed_session_left_is_swept_and_what_a_living_one_has_is_not(folder):
    killed, abandoned = session()
    living, kept = session()
    other = tempfile.mkdtemp(prefix="loaderlab-")
    try:
        killed.kill()
        killed.wait()
        for path in (abandoned, kept, other):
            grown_old(path)
        assert os.path.isdir(abandoned)
        temporary.sweep()
        assert not os.path.exists(abandoned) and os.path.isdir(kept) and os.path.isdir(other)
    finally:
        for process in (killed, living):
            process.kill()
            process.wait()
            process.stdout.close()


@posix
def test_a_folder_that_may_not_have_been_locked_yet_is_not_swept(folder):
    fresh = tempfile.mkdtemp(prefix=temporary.MARK)
    temporary.sweep()
    assert os.path.isdir(fresh)
    grown_old(fresh)
    temporary.sweep()
    assert not os.path.exists(fresh)


def test_an_error_of_the_body_is_not_hidden_and_the_folder_goes(folder):
    with pytest.raises(FileNotFoundError), temporary.own() as own:
        raise FileNotFoundError("by design")
    assert not own.exists()


@posix
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_work_where_the_name_of_the_temporary_folder_is_long(folder, tmp_path, method):
    long = os.path.join(folder, "long" * 30)
    os.mkdir(long)
    script = tmp_path / "script.py"
    loader = textwrap.indent(LOADER, "    ")
    script.write_text(f"""
import multiprocessing, os
if __name__ == "__main__":
    os.environ["TMPDIR"] = {long!r}
    multiprocessing.set_start_method({method!r})
{loader}""")
    outcome = child.run(script, timeout=120)
    assert outcome.output.endswith("4 batches\n"), outcome.errors


@posix
def test_a_short_name_is_kept(folder):
    temporary.shorten()
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == folder == temporary.place()


def test_where_there_is_no_temporary_folder_there_is_no_room(monkeypatch):
    def none():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    assert temporary.free() == 0
    temporary.shorten()
    temporary.sweep()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows forks no process.")
def test_a_forked_process_that_drops_a_folder_does_not_remove_it(folder):
    owned = temporary.own()
    path = owned.__enter__()
    if (process := os.fork()) == 0:
        del owned  # as the exit functions are dropped in a worker that Python 3.14 forks
        os._exit(0)
    os.waitpid(process, 0)
    assert path.exists()
    owned.__exit__(None, None, None)
    assert not path.exists()

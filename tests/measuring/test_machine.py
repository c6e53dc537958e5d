"""What the machine is said to have, against made-up cgroups and the real system."""

import multiprocessing

import psutil
import pytest
import torch
from torch.utils.data import DataLoader

from loaderlab.data import ZerosDataset
from loaderlab.lessons.shared_memory import segments
from loaderlab.measuring import child, machine, memory
from waiting import within


def test_memory_of_a_container_counts(tmp_path):
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.usable_ram(tmp_path) == psutil.virtual_memory().total
    (tmp_path / "memory.max").write_text(f"{2**30}\n")
    assert machine.usable_ram(tmp_path) == 2**30


@pytest.fixture
def open_files(monkeypatch):
    """Sets the limits on open files, plainly a fixture; those of this process stay."""
    resource = pytest.importorskip("resource")
    limits = []

    def given(soft, hard):
        limits[:] = [(soft, hard)]

    monkeypatch.setattr(resource, "getrlimit", lambda _which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _which, new: limits.append(new))
    given.limits = limits
    given.none = resource.RLIM_INFINITY
    return given


@pytest.mark.parametrize(
    ("soft", "hard", "raised"), [(256, 20000, 4096), (256, 512, 512), (8192, 9000, 8192)]
)
def test_the_limit_on_open_files_is_raised_as_far_as_a_lesson_needs(open_files, soft, hard, raised):
    open_files(soft, hard)
    assert (machine.open_files_limit(), machine.look().open_files) == (soft, raised)
    machine.allow_open_files()
    assert open_files.limits[-1] == (raised, hard) and machine.open_files_limit() == raised


def test_no_limit_on_open_files_is_none(open_files):
    open_files(256, open_files.none)
    assert machine.attainable_open_files() == 4096
    open_files(open_files.none, open_files.none)
    assert machine.attainable_open_files() is None and machine.open_files_limit() is None
    machine.allow_open_files()
    assert len(open_files.limits) == 1


@pytest.mark.parametrize(
    ("error", "found"),
    [("use_libuv was requested but PyTorch was built without libuv support", False), ("port in use", True)],
)
def test_a_torch_without_libuv_is_recognised(monkeypatch, error, found):
    def fails(*_arguments, **_options):
        raise RuntimeError(error)

    monkeypatch.setattr(torch.distributed, "TCPStore", fails)
    assert machine.has_libuv.__wrapped__() is found


def test_card_names_what_there_is(english):
    here = machine.look()
    card = here.card()
    assert here.python in card and here.torch in card and here.start_method in card


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="no server forks")
def test_a_worker_that_a_server_forks_has_torch_already(tmp_path):
    script = tmp_path / "asks.py"
    script.write_text("""
import multiprocessing, sys
from loaderlab.measuring import machine

def say():
    print("torch" in sys.modules)

if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    machine.preload_forkserver()
    worker = multiprocessing.Process(target=say)
    worker.start()
    worker.join()
""")
    assert child.run(script, timeout=120).output == "True\n"


@pytest.mark.skipif(not segments.present(), reason="this system does not show who has which segment")
def test_bytes_in_shared_memory_follow_the_formula():
    """W workers × P batches before the first, and one more while it is held: facts of lesson 1, section 4."""
    size = 4 * 2**20
    before = segments.mine().keys()

    def grown():
        return sum(bytes_ for inode, bytes_ in segments.mine().items() if inode not in before)

    iterator = iter(DataLoader(ZerosDataset(40, size), num_workers=2, prefetch_factor=2))
    batch = next(iterator)
    assert within(30, lambda: grown() >= 5 * size) and grown() < 6 * size
    assert memory.shm_bytes() >= 5 * size  # of all programs
    del iterator, batch
    assert within(30, lambda: grown() < size)

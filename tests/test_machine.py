"""What the machine is said to have, against made-up cgroups and the real system."""

import os

import pytest
import torch
from torch.utils.data import DataLoader

from loaderlab import machine, memory
from loaderlab.data import ZerosDataset


def test_quota_of_a_container_counts(tmp_path):
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert machine.usable_cores(tmp_path) == 0.5


def test_no_quota_leaves_the_affinity(tmp_path):
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert machine.usable_cores(tmp_path) == len(os.sched_getaffinity(0))


def test_quota_of_cgroup_v1_counts(tmp_path):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("25000")
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000")
    assert machine.usable_cores(tmp_path) == 0.25


def test_affinity_counts():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert machine.usable_cores() <= 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_card_names_what_there_is(english):
    here = machine.look()
    card = here.card()
    assert here.python in card and here.torch in card and here.start_method in card


@pytest.mark.skipif(memory.shm_bytes() is None, reason="this system has no /dev/shm")
def test_bytes_in_shared_memory_follow_the_formula():
    """W workers × P batches before the first, and one more while it is held: facts of lesson 1, section 4."""
    size = 4 * 2**20
    before = memory.shm_bytes()
    iterator = iter(DataLoader(ZerosDataset(40, size), num_workers=2, prefetch_factor=2))
    batch = next(iterator)
    torch.arange(10)
    _wait_until(lambda: memory.shm_bytes() - before >= 5 * size)
    grown = memory.shm_bytes() - before
    del iterator, batch
    assert 5 * size <= grown < 6 * size
    _wait_until(lambda: memory.shm_bytes() - before < size)
    assert memory.shm_bytes() - before < size


def _wait_until(condition, seconds=5.0):
    import time

    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)

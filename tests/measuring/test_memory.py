"""What processes take, looked at from outside."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys

import psutil
import pytest

from loaderlab.lessons.copy_on_write import watch
from loaderlab.measuring import memory
from loaderlab.measuring.memory import Use

MIB = 2**20
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="Only Linux has smaps_rollup and fork without danger."
)
TEXT = """\
5581f0a00000-7ffc2b1fe000 ---p 00000000 00:00 0    [rollup]
Rss:                 900 kB
Pss:                 500 kB
Pss_Dirty:           300 kB
Shared_Clean:        400 kB
Private_Clean:        20 kB
Private_Dirty:       280 kB
Private_Hugetlb:       4 kB
"""


@pytest.fixture
def sleeper():
    process = subprocess.Popen([sys.executable, "-S", "-c", "import time; print(1, flush=True); time.sleep(60)"], stdout=subprocess.PIPE)  # fmt: skip
    process.stdout.readline()
    yield process.pid
    process.kill()
    process.wait()


def test_a_rollup_is_read_in_bytes_and_uss_is_what_is_private():
    assert memory._rollup(TEXT) == Use(900 * 1024, 500 * 1024, 304 * 1024)


@linux
def test_psutil_finds_about_the_same(sleeper):
    ours, theirs = memory.of(sleeper), psutil.Process(sleeper).memory_full_info()
    for mine, other in ((ours.rss, theirs.rss), (ours.pss, theirs.pss), (ours.uss, theirs.uss)):
        assert abs(mine - other) < MIB


def test_without_rollup_psutil_is_asked(sleeper, monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "PROC", tmp_path)
    use = memory.of(sleeper)
    assert use.rss > 0 and (sys.platform == "darwin" or use.uss)


def test_what_may_not_be_looked_at_tells_rss_only(sleeper, monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "PROC", tmp_path)

    def denied(self):
        raise psutil.AccessDenied(self.pid)

    monkeypatch.setattr(psutil.Process, "memory_full_info", denied)
    use = memory.of(sleeper)
    assert use.rss > 0 and use.pss is None and use.uss is None


def test_a_process_that_is_gone_is_an_error(sleeper):
    psutil.Process(sleeper).kill()
    psutil.Process(sleeper).wait(5)
    with pytest.raises(psutil.NoSuchProcess):
        memory.of(sleeper)


def test_the_tree_holds_the_children(sleeper):
    assert sleeper in memory.tree() and os.getpid() in memory.tree()
    assert os.getpid() not in memory.tree(itself=False)
    assert memory.tree(sleeper).keys() == {sleeper}


def test_sums_are_unknown_where_a_part_is():
    known, unknown = Use(3, 2, 1), Use(30, None, 10)
    assert memory.total([known, known]) == Use(6, 4, 2)
    assert memory.total([known, unknown]) == Use(33, None, 11)
    assert memory.total([]) == Use(0, 0, 0, 0)
    assert memory.total([Use(1, 1, 1, 1), Use(1, 1, 1, 2)]).anonymous == 3
    assert memory.total([Use(1, 1, 1, 1), known]).anonymous is None


MAPPINGS = """\
7f00-7f10 rw-p 00000000 00:00 0    [heap]
Rss:                 100 kB
Private_Clean:         0 kB
Private_Dirty:        30 kB
Anonymous:           100 kB
VmFlags: rd wr
7f10-7f20 r--p 00000000 08:01 77   /data/samples.npy
Rss:                 500 kB
Private_Clean:       300 kB
Private_Dirty:       200 kB
Anonymous:             0 kB
VmFlags: rd
7f20-7f30 rw-p 00000000 08:01 77   /data/samples.npy
Rss:                 500 kB
Private_Clean:       490 kB
Private_Dirty:        10 kB
Anonymous:            10 kB
VmFlags: rd wr
"""


def test_private_and_anonymous_is_neither_what_a_parent_shares_nor_what_a_file_has(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "PROC", tmp_path)
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "smaps").write_text(MAPPINGS)
    (tmp_path / "7" / "smaps_rollup").write_text(TEXT)
    assert memory.of(7, anonymous=True) == Use(900 * 1024, 500 * 1024, 304 * 1024, 40 * 1024)
    assert memory.of(7).anonymous is None


@linux
@pytest.mark.parametrize(("kind", "copies"), [("written", True), ("file", False)])
def test_only_a_copy_is_private_and_anonymous_and_rss_of_shared_pages_does_not_grow(tmp_path, kind, copies):
    size = 16 * MIB
    (tmp_path / "file").write_bytes(bytes(size))
    with open(tmp_path / "file", "rb") as file:
        data = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
    own = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages = range(0, size, mmap.PAGESIZE)
    for at in pages:
        own[at] = 1

    def touch():
        yield
        for at in pages:
            if kind == "file":
                data[at]
            else:
                own[at] = 2
        yield

    (before,), (after,) = watch.forked(touch)
    assert size - MIB < after.uss - before.uss < size + MIB
    assert abs(after.rss - before.rss - (0 if copies else size)) < MIB
    copied = after.anonymous - before.anonymous
    assert copied > size - MIB if copies else copied < size / 2

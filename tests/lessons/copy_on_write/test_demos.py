"""Lesson 5: its demonstrations show what they promise and end; its model does the sums right."""

from __future__ import annotations

import itertools
import os
import sys
import time
from pathlib import Path

import pytest

from loaderlab import course
from loaderlab.drawing import png_metadata
from loaderlab.lessons.copy_on_write import apart, data, pages, scene, watch
from loaderlab.lessons.copy_on_write.model import MAIN, Load, workers_times
from loaderlab.measuring import memory
from loaderlab.notebook import session
from loaderlab.notebook.explorer import Explorer
from places import scripts
from processes import children, works
from waiting import within

LESSON = course.lesson("copy_on_write")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Forked processes are looked at on Linux.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The scripts that the notebook writes."""
    for name, text in scripts(LESSON).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def harmless():
    """No process is left."""
    session.begin("copy_on_write")
    before = children()
    yield
    assert within(30, lambda: not children() - before)


@linux
def test_pages_are_copied_one_by_one(folder):
    script = folder / "pages.py"
    distinct = "distinct=len({watch.page_of(chosen[i]) for i in order[:count]})"
    script.write_text(script.read_text("utf-8").replace("watch.say(", f"watch.say({distinct}, "), "utf-8")
    rows = apart.rows(script, "shuffled")
    assert [row["items"] for row in rows] == [0, 1, 10, 40, 160, 640]
    assert all(row["copied"] == row["distinct"] == row["cells"].count("#") for row in rows)
    assert pages.picture(rows).png


@linux
def test_the_pages_stand_in_the_order_of_the_strings(folder):
    script = folder / "pages.py"
    # So many lie in several places of the memory, of which a later one may be further down.
    script.write_text(
        script.read_text("utf-8").replace("20_000", "90_000").replace("11_600", "80_000"), "utf-8"
    )
    rows = apart.rows(script, "in_order")
    assert all(
        row["cells"] == "#" * row["copied"] + "." * (len(row["cells"]) - row["copied"]) for row in rows
    )


@linux
def test_a_list_is_copied_and_an_array_is_not(folder):
    for container, lowest, highest in (("list", 80, 130), ("array", -5, 10)):
        [copied] = apart.rows(folder / "reading.py", container, "shuffled").column(
            "copied_percent", read_percent=100
        )
        assert lowest < copied < highest


@linux
def test_resident_sizes_count_a_shared_array_in_each_process(folder):
    [total] = [row for row in apart.rows(folder / "idle.py") if row["process"] == "sum"]
    assert total["rss_mib"] > 5 * 64
    assert 64 < total["pss_mib"] < 2 * 64
    assert total["uss_mib"] < 64


@linux
def test_a_list_read_in_order_is_copied_along_with_the_reading(folder):
    [half] = apart.rows(folder / "reading.py", "list", "in_order").column("copied_percent", read_percent=50)
    assert 33 < half < 67


@linux
def test_containers_of_objects_are_copied_and_resident_size_does_not_show_it(folder):
    copied = []
    for container in ("object_array", "dict", "json", "fixed_width", "packed"):
        rows = apart.rows(folder / "reading.py", container, "shuffled")
        [end] = [row for row in rows if row["read_percent"] == 100]
        copied.append(end["copied_percent"] > 50)
        assert end["grown_rss"] < 25
    assert copied == [True, True, True, False, False]


@linux
def test_pages_of_a_mapped_file_count_as_unique_and_are_not_copied(folder):
    rows = apart.rows(folder / "reading.py", "memmap", "shuffled")
    [end] = [row for row in rows if row["read_percent"] == 100]
    assert end["grown_uss"] > 50 > end["copied_percent"]


@linux
def test_a_write_in_place_copies_and_one_in_shared_memory_is_seen(folder):
    written = apart.rows(folder / "in_place.py")
    found = {row["what"]: (row["copied_percent"] > 50, row["seen"]) for row in written}
    assert found == {
        "reads": (False, False),
        "makes_new": (False, False),
        "in_place": (True, False),
        "in_place_shared": (False, True),
    }


@linux
def test_freezing_stops_the_collector_and_not_the_reading(folder):
    rows = apart.rows(folder / "collector.py")
    found = [(row["frozen"], row["collected_percent"] > 30, row["and_read_percent"] > 30) for row in rows]
    assert found == [(False, True, True), (True, False, True)]


@pytest.mark.long
@linux
def test_a_spawned_process_shares_the_tensor_and_opens_the_path(folder):
    spawned = apart.rows(folder / "spawned.py", str(folder / "samples.npy"), fork=False, timeout=90)
    assert {row["sent"] for row in spawned if row["grown_mib"] > 6} == {"list", "ndarray", "memmap"}
    assert {row["sent"] for row in spawned if row["pickled_bytes"] < 1000} == {"tensor", "path"}


@pytest.mark.long
@linux
def test_the_model_is_near_what_workers_copy(folder):
    measured = apart.rows(folder / "workers.py", timeout=120)
    for row in workers_times((1, 2, 4)):
        found = measured.column("workers_times", reading=row["reading"], num_workers=row["num_workers"])
        assert found == pytest.approx([row["workers_times"]], rel=0.2, abs=0.2), row


@linux
def test_memory_that_was_free_before_the_fork_is_not_counted_when_the_parent_returns_it(tmp_path):
    """The pages would be the child's alone then, as if it had copied them."""
    script = tmp_path / "free.py"
    script.write_text(
        "import ctypes\n"
        "from loaderlab.lessons.copy_on_write import watch\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]\n"
        "for option in (-1, -3):  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD: keep what is freed\n"
        "    libc.mallopt(option, 1 << 30)\n"
        "block = libc.malloc(40 << 20)\n"
        "ctypes.memset(block, 1, 40 << 20)\n"
        "libc.free(block)\n"
        "def twice():\n"
        "    yield\n"
        "    yield\n"
        "looks = watch.forked(twice)\n"
        "[before] = next(looks)\n"
        "libc.malloc_trim(0)\n"
        "[after] = next(looks)\n"
        "watch.say(grown=after.anonymous - before.anonymous)\n"
        "looks.close()\n"
    )
    [row] = apart.rows(script)
    assert row["grown"] < 10 << 20


@pytest.mark.long
@linux
def test_a_child_that_stalls_is_stopped_with_its_own_children(tmp_path):
    script = tmp_path / "stall.py"
    script.write_text(
        "import os, time\n"
        "from loaderlab.lessons.copy_on_write import watch\n"
        "def stall():\n"
        "    yield\n"
        "    time.sleep(600)\n"
        "for [pid] in watch.pauses(stall):\n"
        "    watch.say(pid=pid)\n"
    )
    for seconds in (4, 40):  # the second time, where the machine is so slow that the child had not begun
        rows = apart.rows(script, timeout=seconds)
        assert f"Stopped after {seconds} s" in repr(rows)
        if rows:
            break
    assert len(rows) == 1
    assert not works(rows[0]["pid"])


@linux
def test_a_child_that_does_not_pause_is_given_up(monkeypatch):
    monkeypatch.setattr(watch, "PATIENCE", 0.3)

    def stall():
        time.sleep(60)
        yield

    with pytest.raises(ChildProcessError, match="did not pause"):
        list(watch.pauses(stall))


@linux
def test_a_child_that_ends_early_is_an_error():
    def leaves():
        yield
        os._exit(1)

    with pytest.raises(ChildProcessError, match="ended before"):
        list(watch.pauses(leaves))


def test_what_cannot_be_shown_is_a_sentence(monkeypatch, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('{\"uss\": 1}')")
    monkeypatch.setattr(apart.psutil, "virtual_memory", lambda: type("M", (), {"available": 10 * 2**20}))
    assert "needs 512 MiB of memory, and 10 MiB" in repr(apart.rows(script, fork=False))
    monkeypatch.undo()
    monkeypatch.setattr(apart.memory, "of", lambda pid: memory.Use(1, None, 1))
    assert "does not tell USS" in repr(apart.rows(script))
    assert apart.rows(script, fork=False) == [{"uss": 1}]
    monkeypatch.undo()
    script.write_text("raise ValueError('no')")
    assert "ValueError: no" in repr(apart.rows(script, fork=False))
    monkeypatch.setattr(apart.sys, "platform", "darwin")
    rows = apart.rows(script) + apart.rows(script)
    assert not rows and "takes Linux" in repr(rows) and rows.result.stamp == rows.why
    assert repr(pages.picture(rows)) == rows.why


@pytest.mark.parametrize("container", data.CONTAINERS)
def test_containers_hold_the_same_samples(container):
    items = data.make(container, 50)
    assert len(items) == 50
    seventh = items[7] if container != "array" else items[7].tobytes()
    assert seventh in (data.strings(50)[7], data.strings(50)[7].encode())
    most = 8 if container == "json" else 4  # a dictionary for each sample
    assert 50 * data.LENGTH <= data.nbytes(items) < 50 * most * data.LENGTH + 1000


MILLION = 10**6


def test_model_containers_that_stay_shared_have_no_copies():
    for container, method in itertools.product(
        ("ndarray", "tensor", "memmap", "lazy memmap"), ("fork", "spawn")
    ):
        load = Load(MILLION, 100, container, 4, start_method=method)
        copied = method == "spawn" and container in ("ndarray", "memmap")
        assert load.copies() == (4 * load.data if copied else 0)


def test_model_of_a_list():
    one = Load(MILLION, 100, "list", 1)
    assert one.object_bytes == 160 and one.data == MILLION * 168
    assert one.copies(0) == 0 and one.copies(1) == pytest.approx(MILLION * 160)
    assert Load(MILLION, 100, "list", 4).copies() == pytest.approx(4 * MILLION * 160, rel=0.01)
    in_order = Load(MILLION, 100, "list", 4, order="in order")
    assert MILLION * 160 / 4 < in_order.copies(0.5) < in_order.copies() < 1.5 * MILLION * 160
    large = Load(1000, 100_000, "list", 4)
    assert large.copies() == 1000 * 4096
    # What was measured with strings of 1000 and 3000 bytes, and 8 and 4 workers: far less than W times the data.
    assert Load(MILLION, 1000, "list", 8).copies() / (1000 * MILLION) == pytest.approx(3.44, rel=0.02)
    assert Load(MILLION, 3000, "list", 4).copies() / (3000 * MILLION) == pytest.approx(1.28, rel=0.02)
    assert Load(MILLION, 100, "list", 0).copies() == 0
    assert Load(MILLION, 100, "list", 0).total() == MAIN + MILLION * 168


def test_model_of_several_ranks():
    """Each rank has the data for itself, and all of them read an epoch together; a mapped file is there once."""
    for container, method in itertools.product(("list", "ndarray", "tensor"), ("fork", "spawn")):
        one, four = (Load(MILLION, 100, container, 2, "shuffled", method, ranks=ranks) for ranks in (1, 4))
        assert four.total(0) == 4 * one.total(0)
        assert one.total() < four.total() <= 4 * one.total()
    lazy = [Load(MILLION, 100, "lazy memmap", 2, ranks=ranks) for ranks in (1, 4)]
    assert lazy[1].total() - lazy[1].own == lazy[0].total() - lazy[0].own == 100 * MILLION
    spread = Load(MILLION, 100, "list", 8, ranks=8)  # 25 strings on a page, each worker reads a 64th
    assert spread.copies() / spread.data == pytest.approx(64 * (1 - (63 / 64) ** 25.6) * 160 / 168)


@pytest.mark.parametrize("ranks", [1, 8])
@pytest.mark.parametrize("order", ["shuffled", "in order"])
@pytest.mark.parametrize("container", ["list", "ndarray", "tensor", "memmap", "lazy memmap"])
def test_model_memory_never_shrinks_and_copies_never_exceed_one_for_each_worker(container, order, ranks):
    for workers, size, method in itertools.product((0, 1, 5, 32), (8, 4000, 5000), ("fork", "spawn")):
        load = Load(10_000, size, container, workers, order, method, ranks=ranks)
        totals = [load.total(i / 10) for i in range(11)]
        assert totals == sorted(totals)
        assert load.copies() <= ranks * workers * load.data


def test_the_sentence_answers_the_questions():
    explorer = Explorer(scene.SCENES[0])
    assert "Memory is full after 23% of the epoch" in explorer.sentence
    explorer.set(order="in order")
    assert "The whole epoch fits" in explorer.sentence
    explorer.set(order="shuffled", start_method="spawn")
    assert "even at the start" in explorer.sentence
    explorer.set(container="lazy memmap")
    assert "frees pages of the file" in explorer.sentence and "whole epoch fits" in explorer.sentence
    explorer.set(item_bytes=100_000, done=100)
    assert "8.00 GiB in all" in explorer.sentence and "whole epoch fits" in explorer.sentence


def test_a_card_of_two_containers_needs_a_system_that_forks(monkeypatch):
    monkeypatch.setattr(apart.sys, "platform", "darwin")
    assert "it takes Linux" in repr(apart.change(list, tuple, data.strings(20), "tuple"))


@linux
def test_a_card_shows_what_a_worker_copies_of_two_containers():
    rows = png_metadata.unpack(apart.change(list, data.Packed, data.strings(60_000), "Packed").png)["rows"]
    before, after = (
        [row["worker_mib"] for row in rows if row["version"] == way] for way in ("before", "after")
    )
    assert len(before) == len(after) == 5
    assert min(before) > 5 > 3 > max(after)  # MiB, of the strings' 7.5

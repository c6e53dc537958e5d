"""What the grader stands on: users of its own, a folder that is emptied, a journal on disk, a clock of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from handed_in import hand_in, student
from loaderlab import cli
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.measuring import temporary
from loaderlab.teaching.grading import limits, run, slots, submission, workdir
from loaderlab.teaching.grading.journal import Journal
from processes import children

linux = pytest.mark.skipif(sys.platform != "linux", reason="Made with Linux's means.")


def test_a_folder_is_emptied_however_deep_and_locked_it_is(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (tmp_path / "kept").mkdir()
    (top / "link").symlink_to(tmp_path / "kept", target_is_directory=True)
    here = os.open(top, os.O_RDONLY)
    for _level in range(1500):  # deeper than Python's stack, and than a path may be long
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(os.open("f", os.O_CREAT, dir_fd=inner))
        os.fchmod(here, 0o500)
        os.close(here)
        here = inner
    os.close(here)
    workdir.wipe(top)
    assert os.listdir(tmp_path) == ["kept"]


def test_what_a_killed_grader_left_is_removed_and_a_running_ones_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = tmp_path / f"{workdir.PREFIX}killed"
    begun = tmp_path / f"{workdir.PREFIX}begun"  # by a grader that has not locked it yet
    begun.mkdir()
    (killed / "homes").mkdir(parents=True)
    past = time.time() - 2 * temporary.YOUNG
    os.utime(killed, (past, past))
    with workdir.room() as running:
        os.utime(running, (past, past))
        with workdir.room() as other:
            assert sorted(tmp_path.iterdir()) == sorted([begun, running, other])
    assert list(tmp_path.iterdir()) == [begun]


def test_the_journal_gives_back_what_it_was_given_also_after_a_line_that_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    first = Journal(path, False, "kit")
    first.protect({"confined": True})
    first.add({"a": 1}, {"status": "é"})
    with path.open("a") as file:
        file.write('{"key": "cut')
    second = Journal(path, True, "kit")
    second.add({"a": 2}, {"status": "two"})
    third = Journal(path, True, "kit")
    assert third.protections == [{"confined": True}]
    assert [third.get({"a": n}) for n in (1, 2, 3)] == [{"status": "é"}, {"status": "two"}, None]
    other = Journal(path, True, "another kit")
    assert other.get({"a": 1}) is None and other.protections == []


def test_a_slot_that_says_nothing_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"half a line")
        with pytest.raises(TimeoutError):
            slots._line(ours, 0.2)


@linux
@pytest.mark.long
def test_a_slot_that_is_stopped_does_not_stop_the_grader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an answer can do to its parents where nothing keeps it from that."""
    language.use("en")
    monkeypatch.setattr(limits.Limits, "patience", property(lambda _self: 8.0))
    head = "def number_of_batches(samples, batch_size):\n"
    hand_in(
        tmp_path,
        "anna",
        student("start_here", {"number_of_batches": head + "    import time; time.sleep(4)\n"}),
    )
    over = threading.Event()

    def stop() -> None:
        """Whatever the grader starts is stopped, once it is as old as an answer that sleeps: before, it looks what works."""
        while not over.wait(0.2):
            for process in psutil.Process().children(recursive=True):
                try:
                    below = len(process.parents()) - len(psutil.Process().parents())
                    if below >= 3 and time.time() - process.create_time() > 2:
                        process.send_signal(signal.SIGSTOP)
                except psutil.Error:
                    continue

    thread = threading.Thread(target=stop, daemon=True)
    thread.start()
    try:
        results, _notes = run.grade(submission.find([tmp_path]), jobs=1)
    finally:
        over.set()
        thread.join()
    assert results[0].grades[0].status == "broke"
    assert not children()


@linux
@pytest.mark.parametrize(
    ("program", "said"),
    [("", "No such file"), ("echo bwrap: no permission >&2; exit 1", "bwrap: no permission")],
)
def test_where_bubblewrap_does_not_start_a_sentence_says_what_to_do(
    program: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    language.use("en")
    if program:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin" if program else str(tmp_path))
    with pytest.raises(LabError, match=f"{said}.*--this-machine-is-the-sandbox"):
        slots.Slots(tmp_path, {}, [], 1)


def test_what_a_reader_no_longer_takes_is_no_error() -> None:
    command = f"{sys.executable} -m loaderlab --language en agenda --hours 12 | true; exit ${{PIPESTATUS[0]}}"
    if not shutil.which("bash"):
        pytest.skip("There is no bash.")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_one_file_for_grades_and_page_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(tmp_path, "anna", student("start_here", {}))
    both = str(tmp_path / "both")
    assert cli.main(["--language", "en", "grade", str(tmp_path), "--csv", both, "--html", both]) == 1
    assert "a file for each" in capsys.readouterr().err and not Path(both).exists()


def test_an_answer_of_a_busy_machine_is_told_from_one_that_takes_its_time() -> None:
    watch = pytest.importorskip("loaderlab.teaching.grading.watch")
    assert not watch.starved(seconds=1, cpu=0)
    assert not watch.starved(seconds=30, cpu=29)
    begun = time.process_time()
    assert 0 < watch._share_of_a_core() <= 1.2
    assert time.process_time() > begun

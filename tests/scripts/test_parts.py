"""Packing out of one machine: parts that any executor or batch system makes, put together to the bytes of one process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hostile
from loaderlab.scripts import efficient_dataloader, packing, parts
from loaderlab.scripts.images import ImageError, synthetic
from loaderlab.scripts.packing import Pack, pack, pack_part
from loaderlab.scripts.parts import Part

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="signals")


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Pictures of many kinds, of which some cannot be read."""
    folder = hostile.folder(tmp_path / "photos")
    synthetic(folder / "third", 30, 40, 30, classes=1)
    return folder


def test_parts_of_any_number_give_the_bytes_of_one_process(photos: Path, tmp_path: Path) -> None:
    problems = pack(photos, tmp_path / "one")
    expected = (tmp_path / "one").read_bytes()
    for count in (1, 3, 200):  # of which many are empty, or have nothing that can be read
        found = pack(photos, tmp_path / f"p{count}", parts=count)
        assert (tmp_path / f"p{count}").read_bytes() == expected
        assert [str(problem) for problem in found] == [str(problem) for problem in problems]
        assert Pack(tmp_path / "one").whole == Pack(tmp_path / f"p{count}").whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "p1", "p200", "p3", "photos"]


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_makes_packed_file_and_shards(
    photos: Path, tmp_path: Path, kind: type[Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("webdataset")
    from loaderlab.scripts.shards import write

    monkeypatch.setattr(packing, "PART", 7)
    pack(photos, tmp_path / "one")
    write(photos, tmp_path / "shards", 5, seed=2)
    with kind(2) as executor:
        pack(photos, tmp_path / "two", executor=executor)
        write(photos, tmp_path / "others", 5, seed=2, executor=executor)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    names = sorted(path.name for path in (tmp_path / "shards").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "others").iterdir()) and len(names) == 6
    for name in names:
        assert (tmp_path / "shards" / name).read_bytes() == (tmp_path / "others" / name).read_bytes()
    assert not list(tmp_path.glob("*.part*"))


class Failing(Executor):
    """Does what it is given at once, up to a number of calls, and then fails as an engine that has lost a worker."""

    def __init__(self, good: int) -> None:
        self.good = good

    def submit(self, function: Any, /, *given: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.good -= 1
        if self.good < 0:
            future.set_exception(ConnectionError("a worker is gone"))
        else:
            future.set_result(function(*given, **options))
        return future


def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the parts that are written from now on."""
    numbers: list[int] = []
    usual = Part._is_there

    def noted(self: Part, mark: str) -> bool:
        there = usual(self, mark)
        if not there:
            numbers.append(self.number)
        return there

    monkeypatch.setattr(Part, "_is_there", noted)
    return numbers


def test_what_is_done_is_not_made_again(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(photos, tmp_path / "one")
    numbers = made(monkeypatch)
    with pytest.raises(
        ImageError, match=r"Part 4 of 6 was not made \(ConnectionError: a worker is gone\)\. Run"
    ):
        pack(photos, tmp_path / "p", parts=6, executor=Failing(3))
    assert numbers == [1, 2, 3] and not (tmp_path / "p").exists()
    # A picture of part 2 changes: that part is made anew.
    second = json.loads(json.dumps(Pack(tmp_path / "p.parts/000002-of-000006.pack").about()["names"]))[0]
    os.utime(photos / second, ns=(1, 1))
    numbers.clear()
    pack(photos, tmp_path / "p", parts=6)
    assert numbers == [2, 4, 5, 6] and not (tmp_path / "p.parts").exists()
    assert Pack(tmp_path / "p").about()["names"] == Pack(tmp_path / "one").about()["names"]
    with pytest.raises(ImageError, match="no readable image"):
        pack(photos / "hollow", tmp_path / "q", parts=2)


def test_shards_that_are_done_are_not_written_again(photos: Path, tmp_path: Path) -> None:
    pytest.importorskip("webdataset")
    from loaderlab.scripts.shards import write

    write(photos, tmp_path / "shards", 5)
    with pytest.raises(ImageError, match="Part 4 of 5 was not made"):
        write(photos, tmp_path / "s", 5, executor=Failing(2 + 3), parts=2)
    (done,) = (path for path in (tmp_path / "s.parts").iterdir() if path.is_dir())
    before = {path.name: path.stat().st_ino for path in done.iterdir()}
    assert sorted(before) == [f"shard-{k:06d}.tar" for k in range(3)]
    write(photos, tmp_path / "s", 5, parts=2)
    assert all((tmp_path / "s" / name).stat().st_ino == number for name, number in before.items())
    for path in (tmp_path / "shards").iterdir():
        assert path.read_bytes() == (tmp_path / "s" / path.name).read_bytes()
    assert not (tmp_path / "s.parts").exists()


def test_who_is_strict_stops_at_what_a_part_left_out_earlier(photos: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        pack_part(photos, tmp_path / "p", number, 2)
    with pytest.raises(ImageError):
        pack(photos, tmp_path / "p", parts=2, strict=True)
    with pytest.raises(ImageError, match="Part 3 of 2"):
        pack_part(photos, tmp_path / "p", 3, 2)


def job(module: str, *options: str, cwd: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"loaderlab.scripts.{module}", *options]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.long
@LINUX
@pytest.mark.parametrize("kind", ["packed file", "shards"])
def test_jobs_of_a_batch_system_of_which_one_is_killed(tmp_path: Path, kind: str) -> None:
    folder = synthetic(tmp_path / "images", 240, 500, 375)
    if kind == "shards":
        pytest.importorskip("webdataset")
        module, target = "webdataset_loader", ["--shards", "mine", "--count", "4"]
    else:
        module, target = "efficient_dataloader", ["--pack", "mine"]
    assert job(module, "--folder", "images", *target, "--epochs", "0", cwd=tmp_path).wait(600) == 0
    shutil.move(tmp_path / "mine", tmp_path / "one")
    jobs = [job(module, "--folder", "images", *target, "--part", f"{k}/3", cwd=tmp_path) for k in (1, 2, 3)]
    killed, place = jobs[1], tmp_path / "mine.parts"
    deadline = time.monotonic() + 300
    while not list(place.glob(f"*.{killed.pid}.part")) and time.monotonic() < deadline:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    for one in jobs:
        out, err = one.communicate(timeout=600)
        assert one.returncode == (-signal.SIGKILL if one is killed else 0), err
        assert out == "" if one is killed else Path(tmp_path, out.strip()).is_file()
    there = {path.name: path.stat().st_ino for path in place.glob("*.pack")}
    assert sorted(there) == [f"00000{k}-of-000003.pack" for k in (1, 3)]
    last = job(module, "--folder", "images", *target, "--epochs", "0", "--parts", "3", cwd=tmp_path)
    _out, err = last.communicate(timeout=600)
    assert last.returncode == 0 and f".{killed.pid}.part: this was left by a run that was ended" in err, err
    one, mine = tmp_path / "one", tmp_path / "mine"
    for path in sorted(one.iterdir()) if one.is_dir() else [one]:
        assert path.read_bytes() == (mine / path.name if mine.is_dir() else mine).read_bytes()
    assert not place.exists() and folder.is_dir()


def test_a_part_needs_a_place_that_the_jobs_share(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    synthetic(tmp_path / "images", 4, 40, 30)
    assert efficient_dataloader.main(["--part", "1/2", "--pack", str(tmp_path / "p")]) == 1
    assert efficient_dataloader.main(["--part", "1/2", "--folder", str(tmp_path / "images")]) == 1
    assert capfd.readouterr().err.count("give `--folder` and `--pack`") == 2
    for wrong in ("0/2", "3/2", "2", "a/b"):
        with pytest.raises(SystemExit):
            efficient_dataloader.main(["--part", wrong])
    assert capfd.readouterr().err.count("is no part") == 4


@pytest.mark.long
@LINUX
def test_dask_makes_both_though_a_worker_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("webdataset")
    from loaderlab.scripts.shards import write

    folder = synthetic(tmp_path / "images", 400, 500, 375)
    pack(folder, tmp_path / "one", processes=2)
    write(folder, tmp_path / "shards", 6, processes=2)
    monkeypatch.setattr(packing, "PART", 20)
    with (
        distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(3)
        pids = list(client.run(os.getpid).values())
        assert len(set(pids)) == 3 and os.getpid() not in pids
        killed: list[int] = []

        with ThreadPoolExecutor(1) as apart:
            packing_it = apart.submit(pack, folder, tmp_path / "two", executor=client.get_executor())
            place = parts.folder_of(tmp_path / "two")
            deadline = time.monotonic() + 300
            while not killed and time.monotonic() < deadline:
                for path in place.glob("*.part"):
                    killed = [int(path.name.split(".")[-2])]
            os.kill(killed[0], signal.SIGKILL)
            assert killed[0] in pids and packing_it.result(120) == []
        write(folder, tmp_path / "others", 6, executor=client.get_executor())
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    for path in (tmp_path / "shards").iterdir():
        assert path.read_bytes() == (tmp_path / "others" / path.name).read_bytes()

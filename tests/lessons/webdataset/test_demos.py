"""Lesson 6: its demonstrations show what they promise, stay on this machine, and leave nothing behind."""

from __future__ import annotations

import importlib
import itertools
import os
import signal
import subprocess
import sys
import tarfile
import time
import traceback
from pathlib import Path

import psutil
import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.lessons.webdataset import data, disk, model, pictures, scene, server, ways
from loaderlab.measuring import child
from loaderlab.notebook.explorer import Explorer
from places import ROOT, scripts
from processes import children
from waiting import within

LESSON = course.lesson("webdataset")
wds = pytest.importorskip("webdataset")


@pytest.fixture
def harmless():
    """No process is left."""
    before = children()
    yield
    assert within(30, lambda: not children() - before)


def write_shards(folder: Path, samples: int, each: int) -> list[Path]:
    with wds.ShardWriter(
        data.address(folder / "train-%06d.tar"), maxcount=each, verbose=0, mtime=0
    ) as writer:
        for index in range(samples):
            writer.write({"__key__": f"{index:06d}", "bin": data.pixels(index), "cls": data.label(index)})
    return sorted(folder.glob("train-*.tar"))


# ---------------------------------------------------------------- what the library does, as the lesson says


def test_a_float_mtime_costs_two_blocks_for_each_member(tmp_path):
    sizes = []
    for mtime in (0, 1.5):
        with wds.TarWriter(str(tmp_path / "a.tar"), mtime=mtime) as writer:
            for index in range(100):
                writer.write({"__key__": f"{index:03d}", "bin": b"x" * 8112, "cls": 1})
        sizes.append((tmp_path / "a.tar").stat().st_size)
    assert sizes == [-(-(100 * n + 1024) // 10_240) * 10_240 for n in (9728, 9728 + 2 * 1024)]


def test_a_key_ends_at_its_first_dot(tmp_path):
    found = []
    for keys in (("cat.1", "cat.2"), ("cat-1", "cat-2")):
        with wds.TarWriter(str(tmp_path / "a.tar"), mtime=0) as writer:
            for key in keys:
                writer.write({"__key__": key, "bin": b"image"})
        samples = wds.WebDataset(str(tmp_path / "a.tar"), shardshuffle=False)
        found.append([sample["__key__"] for sample in samples])
    assert found == [["cat"], ["cat-1", "cat-2"]]


@pytest.mark.parametrize(
    ("where", "workers", "batches"), [("samples", 0, 30), ("batches", 2, 60), ("loader", 2, 30)]
)
def test_with_epoch_counts_what_comes_out_of_the_pipeline_in_each_worker(
    tmp_path, harmless, where, workers, batches
):
    urls = list(map(str, write_shards(tmp_path, 700, 350)))
    dataset = wds.WebDataset(urls, shardshuffle=False).to_tuple("cls")
    dataset = dataset.with_epoch(30).batched(10) if where == "samples" else dataset.batched(10)
    dataset = dataset.with_epoch(30) if where == "batches" else dataset
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=workers)
    assert sum(1 for _batch in (loader.with_epoch(30) if where == "loader" else loader)) == batches


def test_without_batch_size_none_the_loader_makes_batches_of_batches(tmp_path):
    urls = list(map(str, write_shards(tmp_path, 20, 10)))
    dataset = wds.WebDataset(urls, shardshuffle=False).decode().to_tuple("cls").batched(4)
    shapes = [
        next(iter(wds.WebLoader(dataset, **options)))[0].shape for options in ({}, {"batch_size": None})
    ]
    assert shapes == [(1, 4), (4,)]


def test_the_library_refuses_ranks_without_a_splitter_workers_without_shards_and_a_shard_that_is_cut(
    tmp_path, harmless
):
    from torch.utils.data import DataLoader

    urls = list(map(str, write_shards(tmp_path, 20, 10)))
    (tmp_path / "cut.tar").write_bytes(Path(urls[0]).read_bytes()[:12_000])
    loader = DataLoader(wds.WebDataset(urls[:1], shardshuffle=False), batch_size=None, num_workers=2)
    with data.being(0, 2):
        refuses(wds.WebDataset(urls, shardshuffle=False), ValueError, "add an explicit nodesplitter")
    refuses(loader, ValueError, "No samples found in dataset")
    refuses(
        wds.WebDataset(str(tmp_path / "cut.tar"), shardshuffle=False),
        tarfile.ReadError,
        "unexpected end of data",
    )
    assert "RANK" not in os.environ and "NUM_WORKERS" not in os.environ


def refuses(samples, error, words):
    with pytest.raises(error, match=words) as caught:
        list(samples)
    traceback.clear_frames(caught.tb)  # they hold the loader, and the loader its workers


@pytest.mark.parametrize(
    ("shards", "ranks", "workers"), list(itertools.product((1, 7, 10, 16), (1, 3, 4), (1, 2, 5)))
)
def test_the_model_deals_out_shards_as_the_library_does(shards, ranks, workers):
    run = model.Epoch(400, shards, ranks, workers, 10, 1.0)
    for rank, worker in itertools.product(range(ranks), range(workers)):
        with data.being(rank, ranks, worker, workers):
            assert list(wds.split_by_worker(wds.split_by_node(range(shards)))) == run.shards_of(rank, worker)
    assert sum(run.sizes) == 400 == sum(map(run.samples_of, range(ranks)))


# ---------------------------------------------------------------- counting and the cache


@pytest.fixture
def few(tmp_path, monkeypatch):
    """The folder of the lesson's images with 40 of them, and a copy of the ways to read them that knows of 40."""
    monkeypatch.setattr(data, "SAMPLES", 40)
    module = tmp_path / "ways.py"
    text = Path(ways.__file__).read_text(encoding="utf-8")
    module.write_text(text.replace("data.SAMPLES", "40"), encoding="utf-8")
    folder = tmp_path / "images"
    data.make_files(folder / "files", 40)
    data.make_packed(folder / "packed.bin", 40)
    write_shards(folder, 40, 10)
    return module, folder


def test_opens_are_counted_exactly_and_only_those_in_the_folder(few, harmless):
    module, folder = few
    found = disk.count(module, ways.NAMES, folder)
    assert {way: counted["opens"] for way, counted in found.items()} == {
        "files": 40,
        "shards": 4,
        "plain": 4,
        "packed": 2,
    }
    assert [found[way]["pieces"] for way in ("files", "shards", "packed")] == [40, 40, 40]
    if Path("/proc/self/io").exists():
        assert found["files"]["reads"] >= 40 and found["plain"]["reads"] < found["shards"]["reads"]


def test_the_four_ways_read_the_same_images_and_all_are_timed(few):
    _module, folder = few
    right = [data.pixels(index) for index in range(40)]
    assert list(ways.shards(folder)) == right
    assert sorted(ways.files(folder)) == sorted(right) == sorted(ways.packed(folder))
    assert sum(map(len, ways.plain(folder))) == sum(p.stat().st_size for p in folder.glob("train-*.tar"))
    times = ways.times(folder, forget=[folder / "packed.bin"], repeats=1)
    assert tuple(times) == ways.NAMES and min(times.values()) > 0


@pytest.mark.long
def test_a_count_that_hangs_is_stopped(tmp_path, harmless):
    (tmp_path / "stuck.py").write_text("import time\ndef stuck(folder):\n    time.sleep(600)\n    yield 1\n")
    language.use("en")
    with pytest.raises(LabError, match="The count stopped: the time limit was reached"):
        disk.count(tmp_path / "stuck.py", ["stuck"], tmp_path, timeout=3)


def test_a_count_that_fails_says_why(tmp_path):
    (tmp_path / "bad.py").write_text("def bad(folder):\n    raise OSError('no such disk')\n    yield 1\n")
    with pytest.raises(LabError, match="no such disk"):
        disk.count(tmp_path / "bad.py", ["bad"], tmp_path)


@pytest.fixture
def packed(tmp_path, monkeypatch):
    """The notebook's Dataset on 400 images."""
    (tmp_path / "packing.py").write_text(scripts(LESSON)["packing.py"], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "packing", raising=False)
    return importlib.import_module("packing").Packed(data.make_packed(tmp_path / "p.bin", 400))


def test_the_packed_dataset_can_be_pickled_also_when_its_file_is_open(packed):
    import pickle

    for _ in range(2):
        copy = pickle.loads(pickle.dumps(packed))
        assert not copy.files and len(copy) == 400
        assert [copy[i] for i in (8, 0, 3)] == [data.pixels(i) for i in (8, 0, 3)]
        assert packed[1] == data.pixels(1)


def test_workers_do_not_share_the_position_in_the_packed_file(packed, harmless):
    from torch.utils.data import DataLoader

    assert packed[0] == data.pixels(0)  # opened before the worker is forked
    [file] = packed.files.values()
    loader = DataLoader(packed, batch_size=None, num_workers=1)
    assert list(loader) == [data.pixels(i) for i in range(400)]
    assert file.tell() == data.NBYTES and list(packed.files.values()) == [file]


@pytest.mark.parametrize("more", [0, 100])
def test_a_shard_that_ends_between_two_samples_or_in_a_header_is_read_without_an_error(tmp_path, more):
    [shard] = write_shards(tmp_path, 10, 10)
    shard.write_bytes(shard.read_bytes()[: 4 * 9728 + more])
    assert len(list(wds.WebDataset(str(shard), shardshuffle=False))) == 4


@pytest.mark.parametrize("persistent", [False, True])
def test_a_seed_of_the_buffer_makes_all_epochs_alike_unless_it_has_the_epoch_in_it(
    tmp_path, harmless, persistent
):
    from torch.utils.data import DataLoader

    urls = list(map(str, write_shards(tmp_path, 80, 10)))

    def epochs(**buffer):
        pipeline = wds.WebDataset(urls, shardshuffle=8, seed=1)
        buffered = (
            pipeline.compose(wds.detshuffle(40, initial=40)) if not buffer else pipeline.shuffle(40, **buffer)
        )
        loader = DataLoader(
            buffered.to_tuple("__key__"), batch_size=None, num_workers=2, persistent_workers=persistent
        )
        return [list(loader) for _epoch in range(2)]

    first, second = epochs(seed=0)
    assert first == second
    first, second = epochs(initial=40)
    assert sorted(first) == sorted(second) and first != second
    first, second = counted = epochs()
    assert (first != second) == persistent  # new workers count from the beginning
    assert counted == epochs()


def test_shards_shuffled_before_the_dealing_reach_every_rank_if_the_workers_persist(tmp_path, harmless):
    from torch.utils.data import DataLoader

    urls = list(map(str, write_shards(tmp_path, 60, 10)))

    def of_rank(rank: int, persistent: bool, epochs: int, epoch: int = -1) -> list[list[str]]:
        shuffled = wds.SimpleShardList(urls), wds.detshuffle(len(urls), initial=len(urls), epoch=epoch)
        dealt = *shuffled, wds.split_by_node, wds.split_by_worker
        pipeline = wds.DataPipeline(*dealt, wds.tarfile_to_samples(), wds.to_tuple("__url__"))
        with data.being(rank, 3):
            loader = DataLoader(pipeline, batch_size=None, num_workers=2, persistent_workers=persistent)
            return [list(dict.fromkeys(url for (url,) in loader)) for _epoch in range(epochs)]

    ranks = [of_rank(rank, True, 8) for rank in range(3)]
    assert all(sorted(itertools.chain(*epoch)) == urls for epoch in zip(*ranks, strict=True))
    assert {url for epoch in ranks[0] for url in epoch} == set(urls)
    assert of_rank(0, True, 2, epoch=4) == ranks[0][5:7]  # resumed in epoch 5
    assert of_rank(0, False, 3) == [ranks[0][0]] * 3  # new workers begin anew


# ---------------------------------------------------------------- the server


def test_the_server_is_on_the_loopback_waits_as_told_and_ends_with_the_body(tmp_path, harmless):
    (tmp_path / "a.bin").write_bytes(b"hello")
    with server.serving(tmp_path, latency_ms=80) as address:
        assert address.startswith("http://127.0.0.1:")
        connection = server.connect(address)
        began = time.perf_counter()
        assert [server.get(connection, "/a.bin").read() for _ in range(3)] == [b"hello"] * 3
        assert time.perf_counter() - began > 0.24
        with pytest.raises(OSError, match="404"):
            server.get(connection, "/b.bin")
        port = int(address.rpartition(":")[2])
        listening = [
            c.laddr.ip for c in psutil.net_connections() if c.status == "LISTEN" and c.laddr.port == port
        ]
        assert listening == ["127.0.0.1"]
    with pytest.raises(OSError, match="refused"):
        server.connect(address).request("GET", "/a.bin")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_the_server_ends_when_the_cell_is_interrupted(tmp_path, harmless, error):
    with pytest.raises(error), server.serving(tmp_path):
        raise error


@pytest.mark.skipif(sys.platform == "win32", reason="Needs POSIX signals.")
def test_an_interrupt_of_the_cell_is_not_the_servers(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\nfrom loaderlab.lessons.webdataset import server\n"
        "with server.serving('.') as address:\n"
        "    try:\n        os.killpg(0, signal.SIGINT)\n        signal.pause()\n"
        "    except KeyboardInterrupt:\n        pass\n"
        "    try:\n        server.get(server.connect(address), '/none')\n"
        "    except OSError as error:\n        print(error)\n"
    )
    outcome = child.run(script)
    assert "404" in outcome.output and outcome.errors == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Needs POSIX signals.")
def test_the_server_ends_when_the_notebook_is_killed(tmp_path):
    script = (
        "import sys, time\nfrom loaderlab.lessons.webdataset import server\n"
        "with server.serving(sys.argv[1]) as address:\n    print(address, flush=True)\n    time.sleep(600)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, env=environment
    )
    assert parent.stdout and parent.stdout.readline().startswith(b"http")
    [child] = psutil.Process(parent.pid).children()
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    child.wait(60)


def test_shards_are_streamed_through_our_opener(tmp_path, harmless, monkeypatch):
    monkeypatch.setitem(wds.gopen_schemes, "http", server.stream)
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:9")  # never asked
    paths = write_shards(tmp_path, 30, 10)
    with server.serving(tmp_path) as address:
        urls = [f"{address}/{path.name}" for path in paths]
        found = [data.number(sample["bin"]) for sample in wds.WebDataset(urls, shardshuffle=False)]
    assert found == list(range(30))


# ---------------------------------------------------------------- explorer and pictures


def test_the_sentence_says_what_the_lesson_asks_for():
    language.use("en")
    explorer = Explorer(scene.SCENES[0])
    assert "between 14 and 20 steps" in explorer.sentence and "shards are" in explorer.sentence
    even = [n for n in range(1, 30) if "Every rank makes" in explorer.set(shards=n).sentence]
    assert {8, 16, 24} <= set(even)
    assert "Workers without a shard: 1;" in explorer.set(shards=7).sentence
    latencies = {}
    for workers in (1, 2, 8):
        explorer.set(shards=64, workers=workers, ranks=1)
        latencies[workers] = next(
            n / 100 for n in range(100) if "shards are" in explorer.set(latency_ms=n / 100).sentence
        )
    assert set(latencies.values()) == {0.06}
    assert model.best_possible() == pytest.approx(7.89, abs=0.01)


def test_pictures_say_in_words_what_they_show():
    language.use("en")
    assert "rank 1, worker 0: shards 1." in pictures.who_reads({(0, 0): [0], (1, 0): [1], (1, 1): []}, 2).text
    assert "worker 1: shards –." in pictures.who_reads({(0, 0): [0], (0, 1): []}, 1).text


# ---------------------------------------------------------------- without the library

RUN = """
import sys
import tarfile
from nbclient import NotebookClient
sys.path.insert(0, sys.argv[1])
from loaderlab import course
from loaderlab.publish import catalog, notebook
from loaderlab.publish.edition import edition
from loaderlab.publish.checkout import SOLUTIONS, Checkout
from loaderlab.publish.source import read
from pathlib import Path
lesson = course.lesson("webdataset")
checkout = Checkout(Path(sys.argv[1]), (lesson,), "https://example.org/x/y", "main")
source = read(lesson)
found = [*catalog.of_package(checkout), *catalog.of_lesson(checkout, source, source.diagrams)]
book = notebook.assemble(edition(checkout, source, "en", found), SOLUTIONS)
NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
for cell in book.cells:
    if cell.cell_type == "code":
        for output in cell.outputs:
            if output.output_type == "error":
                print("ERROR", output.ename, len(output.traceback), output.traceback[0])
            elif output.output_type == "stream":
                print(output.text)
            else:
                print(output.data.get("text/plain", ""))
"""


@pytest.mark.long
def test_without_the_library_run_all_goes_on_and_each_cell_says_in_one_line_how_to_install_it(
    tmp_path, harmless
):
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text("import sys\nsys.modules['webdataset'] = None\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(blocked), str(ROOT)])}
    environment["LOADERLAB_REPEATS"] = "1"  # no figure is looked at
    outcome = subprocess.run(
        [sys.executable, "-c", RUN, str(ROOT), str(tmp_path)],
        check=False, capture_output=True, text=True, timeout=1500, env=environment,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr[-3000:]
    said = outcome.stdout
    assert said.startswith("Cores") or "Cores" in said
    assert "pip install webdataset" in said
    assert "Traceback" not in said and "ERROR" not in said, said
    assert all(
        f"{name}: {top}/{top}" in said for name, top in (("once_each", 6), ("read_better", 6), ("mix", 4))
    )


def test_the_bytes_of_a_sample_leave_the_crossover_and_shrink_the_difference():
    def ratio(latency_ms, **link):
        run = model.Epoch(2000, 8, 1, 1, 10, latency_ms, **link)
        return run.files_ms / run.shards_ms

    light, photo = {"kilobytes": 8, "mb_per_s": 1000}, {"kilobytes": 111, "mb_per_s": 60}
    assert ratio(4.0, **light) > 30 and 2 < ratio(4.0, **photo) < 4
    at = (model.TAR_MS - model.FILE_MS) * 2000 / (2000 - 8)
    assert ratio(at, **light) == pytest.approx(1) and ratio(at, **photo) == pytest.approx(1)

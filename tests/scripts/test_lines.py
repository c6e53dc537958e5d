"""`diagnose` says in which line of the user's own code the time is spent, and how much of it."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import sys
import sysconfig
import threading
import time
import timeit
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.scripts.diagnosis import lines, spy
from loaderlab.scripts.diagnosis.activities import lines_of
from loaderlab.scripts.diagnosis.decision import decide
from loaderlab.scripts.diagnosis.evidence import of_parts
from loaderlab.scripts.diagnosis.isolated import isolated
from loaderlab.scripts.diagnosis.kinds import slowness
from loaderlab.scripts.diagnosis.lines import Line, is_own, shortened
from loaderlab.scripts.diagnosis.operations import MESSAGES, WAYS, operation_of
from loaderlab.scripts.diagnosis.parts import parts, piecewise
from loaderlab.scripts.diagnosis.spy import watching
from loaderlab.scripts.diagnosis.throughput import PartSeconds
from zoo.evidence import CASES

POINTS = 0.10  # by which a share may differ from the known one
ROUNDS = 25  # of some 50 ms: on a busy machine a thread is woken some ms late
PIXELS = np.random.default_rng(0).integers(0, 255, (900, 900, 3), dtype=np.uint8)


def jpeg() -> bytes:
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, "JPEG")
    return file.getvalue()


def table() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:", check_same_thread=False)
    made.execute("CREATE TABLE t (id INTEGER)")
    made.executemany("INSERT INTO t VALUES (?)", ((i,) for i in range(500_000)))
    return made


PICTURE, TEXT, PACKED, TABLE = (
    jpeg(),
    json.dumps(list(range(500_000))),
    gzip.compress(PIXELS.tobytes()),
    table(),
)


def spin(rounds: int = 400_000) -> int:
    """Some 25 ms of plain Python."""
    total = 0
    for number in range(rounds):
        total += number % 7
    return total


OPERATIONS_OF_A_SAMPLE: dict[str, Callable[[], Any]] = {
    "convert": lambda: Image.open(io.BytesIO(PICTURE)).convert("RGB"),  # gives the interpreter's lock away
    "loads": lambda: json.loads(TEXT),  # keeps it
    "decompress": lambda: gzip.decompress(PACKED),
    "sleep": lambda: time.sleep(0.03),
    "execute": lambda: TABLE.execute("SELECT COUNT(*) FROM t WHERE id % 7 = 3"),
}


def seconds(function: Callable[[], Any]) -> float:
    """Return how long the quickest of three calls takes."""
    return min(timeit.repeat(function, number=1, repeat=3))


class Known(Dataset):
    """A sample is an operation, and as much plain Python, both clocked."""

    def __init__(self, operation: Callable[[], Any], times: int) -> None:
        self.operation, self.times, self.took, self.whole = operation, times, 0.0, 0.0

    def __len__(self) -> int:
        return 1000

    def __getitem__(self, index: int) -> int:
        begin = time.perf_counter()
        for _time in range(self.times):
            self.operation()
        self.took += time.perf_counter() - begin
        spin()
        self.whole += time.perf_counter() - begin
        return index


@pytest.mark.serial
@pytest.mark.parametrize("name", OPERATIONS_OF_A_SAMPLE)
def test_shares_seen_from_inside_are_right_within_ten_points(name: str) -> None:
    """The operation and the plain Python after it are clocked in the same run: what is known does not depend on the machine.

    Where other work takes a core, the thread that looks is woken late: one of three runs has to fit.
    """
    operation = OPERATIONS_OF_A_SAMPLE[name]
    operation()
    times = max(1, round(seconds(spin) / seconds(operation)))  # about as long as the plain Python, here, too
    runs = []
    while len(runs) < 3:
        dataset = Known(operation, times)
        with watching() as looks:
            for _batch in islice(piecewise(DataLoader(dataset, 1)), ROUNDS):
                pass
        known = dataset.took / dataset.whole
        assert 0.15 < known < 0.85, "nothing would be tested"
        found = lines_of(looks, "")
        share = sum(line.share for line in found if name in line.text)
        spinning = sum(line.share for line in found if "spin" in line.function + line.text)
        if abs(share - known) < POINTS and spinning == pytest.approx(1 - known, abs=POINTS):
            return
        runs.append((known, share, spinning, found))
    pytest.fail(f"{runs}")


def test_looking_from_inside_leaves_nothing() -> None:
    before, threads = sys.getswitchinterval(), threading.enumerate()
    with watching():
        assert sys.getswitchinterval() < before and len(threading.enumerate()) == len(threads) + 1
    assert sys.getswitchinterval() == before and threading.enumerate() == threads


@pytest.mark.serial
def test_looking_from_inside_costs_little() -> None:
    def seconds() -> float:
        begin = time.process_time()
        for _turn in range(12):
            spin()
        return time.process_time() - begin

    alone, watched = [], []
    for _turn in range(5):
        alone.append(seconds())
        with watching():
            watched.append(seconds())
    assert min(watched) < 1.5 * min(alone)


class Slow(Dataset):
    """A sample waits, and the collate function waits a third as long for a batch of one."""

    def __len__(self) -> int:
        return 10_000

    def __getitem__(self, index: int) -> int:
        time.sleep(0.006)
        return index


def slow_collate(samples: list[int]) -> torch.Tensor:
    time.sleep(0.002)
    return torch.tensor(samples)


def stepping(batch: Any) -> None:
    time.sleep(0.004)


def said_of(loader: DataLoader, step: Any = None, seconds: float = 3.0) -> dict[str, Any]:
    said = isolated(lambda: parts(loader, step, seconds, 1), 60)
    assert said.how == "done", said
    return of_parts(said.said, PartSeconds(()))


@pytest.mark.parametrize("outside", [True, False])
def test_each_part_of_loading_and_the_step_have_their_lines(
    outside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not outside:
        monkeypatch.setattr(spy, "_program", lambda: None)
    elif not spy._program():
        pytest.skip("py-spy is not installed")
    said = said_of(DataLoader(Slow(), 1, collate_fn=slow_collate), stepping)
    assert said["inside"] is not outside
    found = {line.phase: line for line in said["lines"]}
    assert found["sample"].text == "time.sleep(0.006)" and found["collate"].text == "time.sleep(0.002)"
    assert found["sample"].share > found["collate"].share > 0.1
    assert found["sample"].share + found["collate"].share > 0.9
    assert found["sample"].place == f"test_lines.py:{Slow.__getitem__.__code__.co_firstlineno + 1}"
    assert (found["step"].text, found["step"].function) == ("time.sleep(0.004)", "stepping")


class Warming(Slow):
    """The first sample takes long, and the epoch is short."""

    ready = False

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if not self.ready:
            time.sleep(0.7)
            self.ready = True
        return super().__getitem__(index)


def test_what_is_done_once_is_not_what_a_sample_takes() -> None:
    found = said_of(DataLoader(Warming(), 4), seconds=3.0)["lines"]
    assert [line.text for line in found if line.phase == "sample"] == ["time.sleep(0.006)"]


class OnlyInWorkers(IterableDataset):
    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        assert info is not None, "read outside of a worker"
        yield from range(info.id, 100_000, info.num_workers)


class OnlyHere(Dataset):
    def __len__(self) -> int:
        return 10_000

    def __getitem__(self, index: int) -> int:
        assert get_worker_info() is None
        return index


def test_a_dataset_is_read_as_in_a_worker_where_its_loader_has_workers_and_only_there() -> None:
    began: list[int] = []
    many = DataLoader(OnlyInWorkers(), 4, num_workers=2, worker_init_fn=began.append)
    assert said_of(many, seconds=0.5)["costs"].samples
    assert began == [] and get_worker_info() is None
    assert said_of(DataLoader(OnlyHere(), 4), seconds=0.5)["costs"].samples


class Prepared(OnlyInWorkers):
    ready = False

    def __iter__(self) -> Iterator[int]:
        assert self.ready, "worker_init_fn was not called"
        return super().__iter__()


def prepare(worker: int) -> None:
    info = get_worker_info()
    assert info is not None and worker == info.id == 0
    info.dataset.ready = True


def test_what_prepares_a_worker_is_called_before_the_dataset_is_read() -> None:
    assert said_of(DataLoader(Prepared(), 4, num_workers=1, worker_init_fn=prepare), seconds=0.5)[
        "costs"
    ].samples


def line(share: float, operation: str | None = None, phase: str = "sample") -> Line:
    return Line(
        phase,
        "/home/me/dataset.py",
        41,
        "Images.__getitem__",
        'Image.open(path).convert("RGB")',
        share,
        operation,
    )


@pytest.mark.parametrize(
    "name",
    ["computing", "waiting_storage", "too_few_workers", "rare_slow_samples", "short_queue", "not_measured"],
)
def test_what_limits_loading_is_said_with_its_line_and_the_cure(name: str) -> None:
    with speaking("en"):
        found = decide(replace(CASES[name], lines=(line(0.71, "picture"),)))[0]
        assert found.name == name
        assert ("where", '71 % in Image.open(path).convert("RGB"), dataset.py:41') in [
            (row.label, row.value) for row in found.evidence
        ]
        assert found.advice == MESSAGES["picture"]


@pytest.mark.parametrize("name", ["slow_epoch_start", "restarted_workers"])
def test_how_an_epoch_begins_is_said_with_its_line(name: str) -> None:
    lines = (line(0.9), replace(line(0.8, phase="start"), text="json.load(f)", waits="another process"))
    with speaking("en"):
        found = decide(replace(CASES[name], lines=lines, inside=True))[0]
    rows = {row.label: str(row.value) for row in found.evidence}
    assert found.name == name and rows["where"] == "80 % in json.load(f), dataset.py:41"
    assert rows["what that line waits for"] == "another process"
    assert rows["how it was observed"].startswith("from inside")


@pytest.mark.parametrize(
    ("name", "phase"), [("slow_collate", "collate"), ("slow_sampler", "sampler"), ("step_limit", "step")]
)
def test_a_part_is_said_with_the_lines_of_that_part(name: str, phase: str) -> None:
    mine, other = line(0.9, phase=phase), replace(line(0.8), text="other()")
    with speaking("en"):
        found = decide(replace(CASES[name], lines=(other, mine)))[0]
    places = [str(row.value) for row in found.evidence if row.label == "where"]
    assert found.name == name and len(places) == 1 and places[0].startswith("90 % in Image.open")


def test_an_unknown_operation_is_named_and_a_small_one_gets_no_advice() -> None:
    with speaking("en"):
        plain = slowness.computing(CASES["computing"]).sentence
        larger = (line(0.6), replace(line(0.3, "picture"), line=42))  # something else takes more
        assert not slowness.computing(replace(CASES["computing"], lines=larger)).advice
        for one in (line(0.9), line(0.12, "picture")):
            found = slowness.computing(replace(CASES["computing"], lines=(one,)))
            named = ' 90 % of the time for loading is in `Image.open(path).convert("RGB")`, dataset.py:41.'
            assert found.sentence == plain + (named if one.share == 0.9 else "")
            assert not found.advice and found.evidence[-1].label == "where"


def test_the_same_advice_is_given_once_and_never_in_the_heading() -> None:
    plain = CASES["rare_slow_samples"]
    found = decide(replace(plain, lines=(line(0.71, "picture"),)))
    assert [one.advice for one in found] == [MESSAGES["picture"], *[""] * (len(found) - 1)]
    assert not any(MESSAGES["picture"] in one.sentence for one in found)


# A call, functions of libraries that it spent its time in, and packages that its file uses.
KNOWN: list[tuple[str, str, tuple[str, ...], set[str]]] = [
    ("picture", 'Image.open(path).convert("RGB")', ("PIL/ImageFile.py:ImageFile.load", "PIL/Image.py:Image.convert"), {"PIL"}),
    ("picture", "cv2.imread(path)", (), {"cv2"}),
    ("png", "np.asarray(Image.open(f))", ("PIL/ImageFile.py:ImageFile.load", "PIL/PngImagePlugin.py:PngImageFile.load_read"), {"PIL"}),
    ("resize", "image.resize((224, 224))", ("PIL/Image.py:Image.resize",), {"PIL"}),
    ("resize", "self.transform(image)", ("torchvision/transforms/functional.py:resize", "PIL/Image.py:Image.resize"), set()),
    ("compression", "f.read()", ("gzip.py:GzipFile.read", "_compression.py:DecompressReader.read"), {"gzip"}),
    ("compression", "lzma.decompress(raw)", (), {"lzma"}),
    ("listing", 'glob.glob(f"{self.folder}/{index}*")', ("glob.py:glob",), {"glob"}),
    ("listing", "os.listdir(folder)", (), {"os"}),
    ("csv", "pd.read_csv(self.files[i])", (), {"pandas"}),
    ("csv", "np.loadtxt(path)", (), {"numpy"}),
    ("colors", "image.rotate(30)", ("PIL/Image.py:Image.rotate", "PIL/Image.py:Image.transform"), {"PIL"}),
    ("colors", "self.augment(image=image)", ("albumentations/core/composition.py:Compose.__call__",), {"albumentations"}),
    ("colors", "self.transform(image)", ("torchvision/transforms/functional.py:adjust_hue",), set()),
    ("colors", "cv2.warpAffine(image, m, size)", (), {"cv2"}),
    ("resample", "resample_poly(x, 160, 441)", (), set()),
    ("video", "self.reader[i]", ("decord/video_reader.py:VideoReader.__getitem__",), set()),
    ("hdf5", "self.x[i]", ("xarray/core/dataset.py:Dataset.isel",), set()),
    ("archive", "self.zip.read(name)", ("zipfile.py:ZipFile.read",), {"zipfile"}),
    ("dataframe", "self.df.iloc[i]", ("pandas/core/indexing.py:_LocationIndexer.__getitem__",), {"pandas"}),
    ("json", "json.loads(self.lines[i])", ("json/__init__.py:loads",), {"json"}),
    ("sql", 'self.db.execute("SELECT x FROM s WHERE id=?", (i,))', (), {"sqlite3"}),
    ("hdf5", 'self.file["x"][i]', ("h5py/_hl/dataset.py:Dataset.__getitem__",), {"h5py"}),
    ("numpy_file", "np.load(self.files[i])", ("numpy/lib/_npyio_impl.py:load",), {"numpy"}),
    ("message", "print(i, x.shape)", (), set()),
    ("message", "np.array2string(x)", ("numpy/_core/arrayprint.py:array2string",), {"numpy"}),
    ("message", 'self.log.info("sample %d", i)', ("logging/__init__.py:Logger.info",), {"logging"}),
    ("search", "self.names.index(name)", (), set()),
    ("search", "if name in self.seen:", (), set()),
    ("lists", "torch.tensor([s[0] for s in samples])", (), {"torch"}),
    ("tokenizer", "self.tok.encode(text)", (), {"tokenizers"}),
    ("tokenizer", "tokenizer(text, padding=True)", ("transformers/tokenization_utils_base.py:__call__",), {"transformers"}),
    ("nested_rows", "Dataset.__getitem__", ("datasets/arrow_dataset.py:Dataset.__getitem__", "datasets/formatting/torch_formatter.py:TorchFormatter.format_row"), set()),
    ("python_rows", "Dataset.__getitems__", ("datasets/arrow_dataset.py:Dataset.__getitems__",), set()),
    ("copies", "copy.deepcopy(self.graph)", ("copy.py:deepcopy",), {"copy"}),
    ("pickle", "pickle.loads(raw)", (), {"pickle"}),
    ("resample", "resample(wave, 16_000)", ("scipy/signal/_signaltools.py:resample",), {"scipy"}),
    ("video", "cap.read()", (), {"cv2"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "below", "uses"), KNOWN)
def test_a_known_operation_is_recognised(
    name: str, text: str, below: tuple[str, ...], uses: set[str]
) -> None:
    assert operation_of(text, dict.fromkeys(below, 1.0), 1.0, uses) == name


# Of each: a call that resembles it and is none, with functions that ran below it, packages and the text of its file.
OTHERS: list[tuple[str, str, tuple[str, ...], set[str], str]] = [
    ("png", "Image.open(f)", ("PIL/ImageFile.py:ImageFile.load", "PIL/JpegImagePlugin.py:JpegImageFile.load_read"), {"PIL"}, ""),
    ("resize", "self.resized[i]", ("numpy/_core/fromnumeric.py:resize",), {"cv2"}, ""),
    ("picture", "picture.convert()", ("PIL/ImageFile.py:ImageFile.load",), {"PIL"}, "picture.draft('RGB', size)"),
    ("compression", "self.file.read()", ("io.py:read",), {"gzip"}, "open(path)"),
    ("listing", "self.names[i]", ("pathlib.py:Path.stat",), {"glob"}, ""),
    ("csv", "self.csv[i]", ("csv.py:Sniffer.sniff",), {"pandas", "csv"}, ""),
    ("archive", "self.tarfile_offsets[i]", ("io.py:read",), {"tarfile"}, ""),
    ("dataframe", "self.columns[i]", ("numpy/_core/multiarray.py:take",), {"pandas"}, ""),
    ("json", "self.json[i]", ("pathlib.py:Path.read_bytes",), {"json"}, ""),
    ("sql", "self.rows[i]", ("sqlite3/dump.py:_iterdump",), {"sqlite3"}, ""),
    ("hdf5", "self.x[i]", ("numpy/_core/memmap.py:memmap.__getitem__",), {"h5py"}, ""),
    ("numpy_file", "self.x[i].copy()", ("numpy/_core/memmap.py:memmap.__getitem__",), {"numpy"}, "np.load(f)"),
    ("message", "self.blueprint(i)", (), {"logging"}, "log.debug(x)"),
    ("search", "if key in self.items:", ("multiprocessing/managers.py:BaseProxy._callmethod",), set(), ""),
    ("tokenizer", "text.encode('utf-8')", (), {"json"}, ""),
    ("lists", "torch.from_numpy(x)", (), {"torch"}, "torch.tensor(y)"),
    ("nested_rows", "self.rows[i]", ("datasets/arrow_dataset.py:Dataset.__getitem__",), set(), ""),
    ("python_rows", "self.rows[i]", ("datasets/arrow_dataset.py:Dataset.__getitem__",), set(), "d.with_format('torch')"),
    ("colors", "image.crop(box)", ("PIL/Image.py:Image.crop",), {"albumentations"}, ""),
    ("copies", "copy.copy(self.graph)", ("copy.py:copy",), {"copy"}, ""),
    ("pickle", "pickle.dumps(x)", (), {"pickle"}, ""),
    ("resample", "scipy.signal.stft(x, rate)", ("scipy/signal/_spectral_py.py:stft",), {"scipy"}, ""),
    ("video", "self.frames[i]", ("numpy/_core/memmap.py:memmap.__getitem__",), {"av"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "below", "uses", "file"), OTHERS)
def test_what_only_resembles_a_known_operation_is_not_recognised(
    name: str, text: str, below: tuple[str, ...], uses: set[str], file: str
) -> None:
    assert operation_of(text, dict.fromkeys(below, 1.0), 1.0, uses, file) != name


def test_each_known_operation_is_held_against_what_resembles_it() -> None:
    assert {one.name for one in WAYS} == set(MESSAGES) == {name for name, *_rest in OTHERS}
    little = {"gzip.py:GzipFile.read": 0.2}
    assert operation_of("self.x[i]", little, 1.0, set()) is None, "a little of it is not the operation"


def test_each_known_operation_is_tried_and_said_in_each_language() -> None:
    assert {one.name for one in WAYS} == {name for name, *_rest in KNOWN}
    for language in set(LANGUAGES) - {"en"}:
        with speaking(language):
            assert all(slowness._(message) != message for message in MESSAGES.values())


def test_code_of_libraries_is_not_the_users() -> None:
    assert is_own(__file__) and is_own("<ipython-input-3-a>")
    libraries = (np.__file__, torch.__file__, json.__file__, lines.__file__, "<frozen importlib._bootstrap>")
    assert not any(map(is_own, libraries))
    assert not is_own(str(Path(sysconfig.get_path("purelib"), "anything", "mod.py")))


def test_a_long_call_is_shortened_in_its_middle() -> None:
    assert shortened("f(\n   a)") == "f( a)"
    long = shortened(f"begin({'x' * 200}).end()")
    assert len(long) <= lines.WIDE and long.startswith("begin(") and long.endswith(").end()") and "…" in long


class Light(Slow):
    """A sample takes a few microseconds: less than a look at a clock."""

    def __getitem__(self, index: int) -> int:
        for _turn in range(30):
            pass
        return index


@pytest.mark.serial
def test_light_samples_are_clocked_together() -> None:
    dataset = Light()
    batches = list(islice(piecewise(DataLoader(dataset, 400)), 21))[1:]  # the first is clocked one by one
    clocked = sum(one.cpu for _batch, _sample, times, _collating in batches for one in times)
    begin = time.process_time()
    for _turn in batches:
        _samples = [dataset[i] for i in range(400)]
    known = time.process_time() - begin
    assert 0.7 * known < clocked < 1.5 * known

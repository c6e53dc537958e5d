"""`diagnose` does no harm, and answers whatever it is given."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from leftovers import Leftovers
from loaderlab.i18n.language import speaking
from loaderlab.scripts.diagnose import _text_of, diagnose, main
from loaderlab.scripts.diagnosis.clock import Clock, Taken
from loaderlab.scripts.diagnosis.clone import clone
from loaderlab.scripts.diagnosis.contents import Contents
from loaderlab.scripts.diagnosis.decision import HELD
from loaderlab.scripts.diagnosis.evidence import Evidence, Trouble, facts, of_loop, of_parts
from loaderlab.scripts.diagnosis.isolated import Outcome, forks, has_device, isolated
from loaderlab.scripts.diagnosis.kinds import slowness
from loaderlab.scripts.diagnosis.loop import Batches, EpochTimes, Tree, loop
from loaderlab.scripts.diagnosis.parts import parts
from loaderlab.scripts.diagnosis.report import Diagnosis
from loaderlab.scripts.diagnosis.throughput import PartSeconds
from loaderlab.scripts.diagnosis.trial import attempt
from places import ROOT
from processes import works
from waiting import within
from zoo.slow import Samples

DATA = TensorDataset(torch.arange(40))


def end(*pids: int) -> bool:
    """Whether these processes end by themselves, in seconds; none of them is ended here."""
    return within(15, lambda: not any(map(works, pids)))


def named(found: Diagnosis) -> str:
    """What is said first, or after "too noisy" where others work on this machine."""
    return next(one.name for one in found.findings if one.name != "too_noisy")


def order(batches: Any) -> list[int]:
    return [int(index) for (batch,) in batches for index in batch]


@pytest.fixture
def forking() -> None:
    """Experiments run in a copy of this process, unless another test has used a GPU, which does not follow into a fork."""
    if torch.cuda.is_initialized():
        pytest.skip("A test of this process has used the GPU, so that nothing is forked here.")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_once_more_gives_the_same_and_leaves_the_original_as_it_was(workers: int) -> None:
    generator = torch.Generator().manual_seed(1)
    loader = DataLoader(DATA, 4, shuffle=True, generator=generator)
    before = generator.get_state()
    copied = clone(loader, num_workers=workers)
    assert copied.dataset is loader.dataset is copied.sampler.data_source and copied.num_workers == workers
    there = order(copied)
    assert torch.equal(generator.get_state(), before)
    assert there == order(loader) != sorted(there)


def test_a_loader_once_more_knows_its_arguments() -> None:
    loader = DataLoader(DATA, 4, num_workers=2, prefetch_factor=5, timeout=9, persistent_workers=True)
    without, with_ = clone(loader, num_workers=0), clone(DataLoader(DATA), num_workers=3)
    assert (without.prefetch_factor, without.timeout, without.persistent_workers) == (None, 0, False)
    assert with_.prefetch_factor == 2 and len(order(without)) == 40
    with pytest.raises(TypeError, match="shuffle"):
        clone(loader, shuffle=True)
    with pytest.raises(TypeError, match="list"):
        clone([1, 2])


@pytest.mark.usefixtures("forking")
def test_what_a_cell_writes_into_a_file_is_no_call_of_the_notebook() -> None:
    written = "get_ipython().run_cell_magic('writefile', 'training.py', 'sampler.set_epoch(1)\\n')\n"
    assert _text_of({"In": ["", "loader = make()", written]}) == "\nloader = make()"


def test_what_runs_apart_is_kept_and_nothing_of_it_remains() -> None:
    changed: list[int] = []

    def hangs() -> Iterator[Any]:
        changed.append(1)
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,), daemon=True)
        child.start()
        yield os.getpid()
        yield child.pid
        time.sleep(100)

    begin = time.monotonic()
    outcome = isolated(hangs, 1.0)
    assert outcome.how == "late" and outcome.said[0] != os.getpid()
    assert time.monotonic() - begin < 30 and not changed
    assert end(*outcome.said)

    def crashes() -> Iterator[Any]:
        yield 1
        os.kill(os.getpid(), 11)
        time.sleep(9)

    assert (isolated(crashes, 20).how, isolated(crashes, 20).code) == ("died", -11)
    # What the threads of OpenMP computed here does not keep the copy from computing.
    torch.randn(1000, 1000).mm(torch.randn(1000, 1000)).sin()
    assert (
        isolated(lambda: iter([float(torch.randn(1000, 1000).mm(torch.ones(1000, 1)).sum())]), 20).how
        == "done"
    )
    assert isolated(lambda: iter([torch.randn(10**6).sin().shape[0]]), 20).said == [10**6]


@pytest.mark.long
def test_workers_of_a_forking_server_are_stopped_with_the_experiment() -> None:
    loader = DataLoader(DATA, 4, num_workers=1, multiprocessing_context="forkserver")
    next(iter(loader))  # this process has a server of its own

    def looks() -> Iterator[Any]:
        batches = iter(clone(loader))
        next(batches)
        yield [child.pid for child in psutil.Process().children(recursive=True)]
        time.sleep(100)

    outcome = isolated(looks, 15)
    assert outcome.said and outcome.said[0], "its workers are below it"
    assert end(*outcome.said[0])
    assert next(iter(loader))  # and the server of this process still serves


def test_the_step_alone_has_the_threads_of_the_main_process_and_is_seen_to_train() -> None:
    """A sample has one thread, as in a worker."""
    weight = torch.ones(3, requires_grad=True)

    class Counted(TensorDataset):
        def __getitem__(self, index: int) -> Any:
            samples.append(torch.get_num_threads())
            return super().__getitem__(index)

    def step(batch: Any) -> None:
        steps.append(torch.get_num_threads())
        if len(batch[0]) == 4:
            weight.sum().backward()

    before = torch.get_num_threads()
    try:
        for size in (4, 5):
            samples, steps = [], []
            torch.set_num_threads(2)
            said = list(parts(DataLoader(Counted(torch.arange(40)), size), step, 0.2, 1))
            assert set(samples) == {1} and set(steps) == {2}
            assert of_parts(said, PartSeconds(()))["trains"] == (size == 4)
    finally:
        torch.set_num_threads(before)


def test_what_several_threads_compute_takes_its_time_once() -> None:
    both = Taken(0.2, 0.0, 0.1).plus(Taken(0.1, 0.05)).times(2)
    assert both.all == pytest.approx(0.5) and both.cpu == pytest.approx(0.6)


def test_what_the_clock_takes_by_itself_is_no_part_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Clock().own() > 0
    monkeypatch.setattr(Clock, "own", lambda clock: 1.0)
    made = [said for said in parts(DataLoader(DATA, 4), None, 0.1, 1) if said[0] == "batch"]
    assert made and not any(taken.cpu for _said, times, collating in made for taken in (*times, collating))


def test_the_garbage_collector_does_not_run_within_a_sample() -> None:
    class Watched(TensorDataset):
        def __getitem__(self, index: int) -> Any:
            collecting.append(gc.isenabled())
            return super().__getitem__(index)

    collecting: list[bool] = []
    list(parts(DataLoader(Watched(torch.arange(40)), 4), None, 0.1, 1))
    assert collecting and not any(collecting) and gc.isenabled()


class Ticking:
    """The module `time`, with a clock that moves on by a millisecond when somebody looks at it, whatever else the machine does."""

    process_time = staticmethod(time.process_time)

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        self.now += 0.001
        return self.now

    def pass_on(self) -> None:
        self.now += 1.5


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Ticking:
    """The clock of the loop."""
    clock = Ticking()
    monkeypatch.setattr("loaderlab.scripts.diagnosis.loop.time", clock)
    return clock


def test_cleaning_up_after_an_epoch_is_no_part_of_it(
    ticking: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gc.collect", ticking.pass_on)
    epochs = [said for said in loop(DataLoader(DATA, 40), None, 0.0) if isinstance(said, EpochTimes)]
    assert len(epochs) == 1 and epochs[0].seconds < 0.1 and epochs[0].stop < 0.1 and ticking.now > 1.5


def test_looking_at_the_workers_is_no_part_of_an_epoch(
    ticking: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(epoch: int, batches: int, _source: Any) -> Tree:
        ticking.pass_on()
        return Tree(epoch, batches, 0.0, 0, 0)

    monkeypatch.setattr("loaderlab.scripts.diagnosis.loop._tree", look)
    said: list[object] = []
    for one in loop(DataLoader(DATA, 40), None, 60.0):
        said.append(one)
        if sum(isinstance(one, EpochTimes) for one in said) == 2:
            break
    epochs, looks = ([one for one in said if isinstance(one, kind)] for kind in (EpochTimes, Tree))
    assert len(epochs) == 2 and epochs[0].seconds < 0.1 and ticking.now > 1.5
    assert (0, 1) in {(one.epoch, one.batches) for one in looks}
    assert all(one.epoch == 0 or one.batches > 1 for one in looks)  # else a short epoch is mostly looks


@pytest.mark.skipif(has_device(), reason="Where there is a GPU, a step is done in this process, and trains.")
@pytest.mark.serial
def test_it_changes_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(1)
    loader = DataLoader(Samples(wait=0.002), 8, shuffle=True, num_workers=2, generator=generator)
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters())

    def step(batch: Any) -> None:
        optimizer.zero_grad()
        model(batch[0]).mean().backward()
        optimizer.step()

    states = generator.get_state(), torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    weights = model.weight.detach().clone()
    children = psutil.Process().children(recursive=True)
    files, leftovers = psutil.Process().num_fds(), Leftovers(tmp_path)
    for seconds in (
        4,
        40,
    ):  # where other programs leave little of the machine, 4 are over before a batch has come
        found = diagnose(loader, step, seconds)
        if found.evidence.rates:
            break
    assert found.findings and found.evidence.rates, str(found)
    assert torch.equal(states[0], generator.get_state()) and torch.equal(states[1], torch.get_rng_state())
    assert states[2] == random.getstate() and np.array_equal(states[3], np.random.get_state()[1])
    assert torch.equal(weights, model.weight)
    assert within(15, lambda: set(psutil.Process().children(recursive=True)) <= set(children))
    assert psutil.Process().num_fds() <= files
    # Of the segments of others nothing is known: another test's may end meanwhile.
    assert not {kind: names for kind, names in leftovers.found().items() if kind != "segments"}


@pytest.mark.usefixtures("forking")
@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_shared_memory_of_an_experiment_that_is_killed_before_it_can_unlink_it_goes_with_it() -> None:
    segments: list[Path] = []

    def leaves() -> Iterator[Any]:
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(100,), daemon=True)
        child.start()
        for pid in (os.getpid(), child.pid):
            path = Path("/dev/shm", f"torch_{pid}_1_0")
            path.write_bytes(b"left")
            yield str(path)
        time.sleep(100)

    outcome = isolated(leaves, 2.0)
    segments = [Path(name) for name in outcome.said]
    assert len(segments) == 2 and not any(path.exists() for path in segments)


def tried_here(monkeypatch: pytest.MonkeyPatch, loop: Any) -> Evidence:
    """Let trials go through this loop, in this process; evidence of a loader with one worker and batches of 4."""
    monkeypatch.setattr("loaderlab.scripts.diagnosis.trial.loop", loop)
    monkeypatch.setattr(
        "loaderlab.scripts.diagnosis.trial.isolated", lambda work, _most: Outcome(list(work()))
    )
    return Evidence(workers=1, costs=PartSeconds((Taken(),), 4), contents=Contents(4))


@pytest.mark.parametrize(
    "change",
    [
        ("num_workers", 2), ("persistent_workers", True), ("pin_memory", False), ("prefetch_factor", 5),
        ("in_order", False), ("multiprocessing_context", "spawn"), ("torch_threads", 1),
    ],
)  # fmt: skip
def test_what_is_advised_is_tried(change: tuple[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each argument reaches the copy of the loader, in turns with the loader as it is."""
    loader = DataLoader(DATA, 4, num_workers=1)
    tried: list[dict[str, Any]] = []

    def watched(batches: Any, _step: Any, _seconds: float, **changes: Any) -> Iterator[Any]:
        tried.append(changes)
        clone(batches, **changes)
        seconds = 0.1 if changes else 0.2
        yield Batches((seconds,) * 9, (0.0,) * 9, (4,) * 9, 0)
        yield EpochTimes(0.0, seconds, 9)

    evidence = tried_here(monkeypatch, watched)
    (one,) = attempt(loader, None, evidence, [(change,)], 20.0)
    assert (
        one.before == pytest.approx((20,) * 4)
        and one.after == pytest.approx((40,) * 4)
        and one.gain == pytest.approx(2)
    )
    name = "worker_init_fn" if change[0] == "torch_threads" else change[0]
    assert [set(changes) for changes in tried] == [set(), {name}, {name}, set()] * 2
    # Where no batch came as it is, only the change is tried.
    tried.clear()
    broken = replace(evidence, troubles=(Trouble("loop", 0, Outcome([], "late"), 6.0),))
    (one,) = attempt(loader, None, broken, [(change,)], 20.0)
    assert one.before == () and one.after == pytest.approx((40,) * 4) and one.gain > 9 and all(tried)


def test_nothing_is_said_of_a_change_where_no_batch_of_the_loader_as_it_is_came_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(_batches: Any, _step: Any, _seconds: float, **changes: Any) -> Iterator[Any]:
        if changes:
            yield Batches((0.1,) * 9, (0.0,) * 9, (4,) * 9, 0)
            yield EpochTimes(0.0, 0.1, 9)

    evidence = tried_here(monkeypatch, late)
    assert attempt(DataLoader(DATA, 4, num_workers=1), None, evidence, [(("num_workers", 2),)], 20.0) == ()


def test_as_many_changes_are_tried_as_there_is_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn takes 1.5 s, or as long as three rounds of batches of all workers."""
    loader = DataLoader(DATA, 4, num_workers=1)

    def quick(_batches: Any, _step: Any, _seconds: float, **_changes: Any) -> Iterator[Any]:
        yield Batches((0.1,) * 9, (0.0,) * 9, (4,) * 9, 0)
        yield EpochTimes(0.0, 0.1, 9)

    evidence = tried_here(monkeypatch, quick)
    changes = [(("prefetch_factor", n),) for n in range(3, 10)]
    refused = (("num_workers", -1),)
    for seconds, slow, count in (
        (20.0, 1, 4),
        (9.1, 1, 2),
        (6.1, 1, 1),
        (3.1, 1, 1),
        (2.9, 1, 0),
        (20.0, 100, 0),
    ):
        seen = replace(evidence, rates=(4 * 10 / slow,))
        found = attempt(loader, None, seen, [refused, *changes], seconds)
        assert [one.changes for one in found] == changes[:count]


def test_workers_that_stay_are_tried_until_an_epoch_without_their_start_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loader = DataLoader(DATA, 4, num_workers=1)
    asked: list[float] = []

    def watched(_batches: Any, _step: Any, seconds: float, **changes: Any) -> Iterator[Any]:
        asked.append(seconds)
        yield EpochTimes(0.0, 2.6, 16, True, 0.0, 3.0)  # 2.6 s until its first batch
        ended = seconds >= 4
        yield Batches((1.8,), (0.0,), (4,), 1)
        yield EpochTimes(0.0, 0.1, 16 if ended else 1, ended, 0.0, 0.8)

    evidence = tried_here(monkeypatch, watched)
    (one,) = attempt(loader, None, evidence, [(("persistent_workers", True),)], 12.0)
    assert one.after == pytest.approx((80,) * 4, abs=1) and not one.error and max(asked) == 9.0


@pytest.mark.serial
def test_whatever_gives_batches_is_answered() -> None:
    def batches() -> Iterator[torch.Tensor]:
        while True:
            time.sleep(0.01)
            yield torch.zeros(8, 3)

    once = batches()
    assert named(diagnose(once, None, 2)) == "batches"
    assert named(diagnose([torch.zeros(8, 3)] * 10, lambda _batch: time.sleep(0.01), 2)) == "step_limit"
    assert diagnose(DataLoader(DATA, batch_size=None, num_workers=1), None, 3).findings
    with pytest.raises(TypeError, match="int"):
        diagnose(7)


class OfWorkers(TensorDataset):
    """A dataset that raises in any process that is no worker's."""

    def __getitem__(self, index: int) -> Any:
        if not multiprocessing.current_process().daemon:
            raise RuntimeError("opened in the main process")
        return super().__getitem__(index)


def counted(number: int) -> int:
    for _ in range(30_000):
        number = (1103515245 * number + 12345) & 0x7FFFFFFF
    return number


def rested(number: int) -> int:
    time.sleep(0.003)
    return number


class Threads:
    """Batches that two threads make of what a function gives."""

    def __init__(self, function: Callable[[int], int]) -> None:
        self.function = function

    def __iter__(self) -> Iterator[Any]:
        with ThreadPoolExecutor(2) as threads:
            for _batch in range(200):
                yield torch.tensor(list(threads.map(self.function, range(8))))


@pytest.mark.serial
@pytest.mark.parametrize(("function", "several"), [(counted, True), (rested, False)])
def test_threads_that_run_python_are_seen_to_wait_for_it(function: Any, several: bool) -> None:
    """Each of those that rest gives the interpreter's lock away meanwhile."""
    batches = Threads(function)
    said = isolated(lambda: loop(batches, None, 1.5), 30).said
    found = of_loop(said, Evidence(is_loader=False))["lock"]
    assert (found[0] > 1) is several and (found[2] > HELD) is several
    assert "ThreadPoolExecutor" in facts(batches)["threaded"]


@pytest.mark.serial
@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_what_can_be_read_in_workers_only_is_watched_there_and_does_not_raise() -> None:
    data = OfWorkers(torch.arange(4000))
    found = diagnose(DataLoader(data, 4, num_workers=1), lambda _batch: time.sleep(0.02), 6)
    assert not found.evidence.alone and not found.evidence.troubles and found.evidence.rate > 0
    assert named(found) in ("step_limit", "only_in_workers", "too_noisy")
    assert "█" in str(found)
    assert named(diagnose(DataLoader(data, 4), None, 3)) == "raises"


class Lines(IterableDataset):
    """The bytes of a file that is open already, and of which nothing is read ahead."""

    def __init__(self, path: Path) -> None:
        self.file = open(path, "rb", buffering=0)  # noqa: SIM115 (it is what a stream holds)

    def __iter__(self) -> Iterator[int]:
        while byte := self.file.read(1):
            yield byte[0]


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_what_is_open_and_what_the_step_writes_is_used_for_real_and_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(bytes(4000))
    stream, log = Lines(tmp_path / "bytes"), tmp_path / "log"

    def logging(_batch: Any) -> None:
        with log.open("a") as lines:
            lines.write("a step\n")

    assert isolated(lambda: loop(DataLoader(stream, 8), logging, 0.2), 20).how == "done"
    assert stream.file.tell() > 0 and log.stat().st_size > 0
    stream.file.close()
    for text, said in (
        (sys.modules[diagnose.__module__].__doc__, "files and connections that are open, are used for real"),
        ((ROOT / "docs" / "scripts.md").read_text("utf-8"), "use open files and connections for real"),
    ):
        assert said in " ".join(str(text).split())


class Moved:
    """Around a loader, as what puts batches on a device."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        return iter(self.loader)


def use(_batch: Any) -> None:
    """A step."""


@pytest.mark.usefixtures("forking")
@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
@pytest.mark.parametrize(
    ("batches", "step", "copied"),
    [
        (DataLoader(DATA), None, True),
        (DataLoader(DATA, pin_memory=True), None, False),
        (DataLoader(DATA), use, False),
        (Moved(DataLoader(DATA)), None, False),
        ([torch.zeros(3)], None, True),
    ],
    ids=["loader", "pinned", "step", "moved", "list"],
)
def test_where_there_is_a_gpu_nothing_that_needs_it_is_forked_and_asking_for_it_uses_it_not(
    batches: Any, step: Any, copied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for torch.cuda before its first use: `is_available` would initialise the driver, and poison each fork."""

    def poisons() -> bool:
        raise AssertionError("no fork can use CUDA after this")

    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr(torch.cuda, "is_available", poisons)
    monkeypatch.setattr(torch.accelerator, "is_available", poisons)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    forked: list[bool] = []

    def watched(_experiment: Any, _seconds: float) -> Outcome:
        forked.append(forks())
        return Outcome([], "raised", error="KeyError", text="enough")

    monkeypatch.setattr("loaderlab.scripts.diagnosis.examination.isolated", watched)
    found = diagnose(batches, step, 1)
    assert found.evidence.accelerator and set(forked) == {copied}
    assert forks()
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    forked.clear()
    assert not diagnose(batches, step, 1).evidence.accelerator and set(forked) == {True}


TRAIN = """
import time, torch
from torch.utils.data import DataLoader, Dataset
class Samples(Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        time.sleep(0.01)
        return torch.zeros(3)
class Broken(Samples):
    def __getitem__(self, index):
        raise KeyError("label")
def make_loader():
    return DataLoader(Samples(), 4, num_workers=1)
def forgets():
    make_loader()

def make_broken():
    return DataLoader(Broken(), 4, num_workers=1)
def make_step():
    return lambda batch: time.sleep(0.001)
"""


@pytest.mark.long
@pytest.mark.serial
def test_in_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "learners_train.py").write_text(TRAIN)
    place = f"{tmp_path}/learners_train.py"
    files = ["--json", f"{tmp_path}/found.json"]
    with speaking("en"):
        status = main([f"{place}:make_loader", "--step", f"{place}:make_step", "--seconds", "12", *files])
        said = capsys.readouterr().out
        assert status == 0 and "Loading waits for storage" in said and "DataLoader(..., num_workers=" in said
        assert "Tried: num_workers=" in said and "█" in said
        plain = json.loads((tmp_path / "found.json").read_text())
        assert plain["schema"] == 2 and plain["findings"][0]["name"] == "waiting_storage"
        tried = plain["findings"][0]["tried"]
        assert min(tried["after"]) > 1.5 * max(tried["before"]) > 0
        assert main([f"{place}:make_broken", "--seconds", "1.5"]) == 0
        said = capsys.readouterr().out
        assert "Reading raises KeyError: 'label'" in said and "learners_train.py" in said
        assert main([f"{place}:make_nothing"]) == 1
        assert "make_nothing" in capsys.readouterr().err
        assert main([f"{place}:forgets"]) == 1
        assert "A `return` may be missing" in capsys.readouterr().err
        assert main([f"{place}:make_loader", "--language", "fr", "--seconds", "1.5"]) == 0
        assert "Le chargement attend" in capsys.readouterr().out


VARIABLES = """
import argparse
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
class Items(Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, index):
        return torch.zeros(3)
class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.zeros(40, 3))
class Own:
    def __iter__(self):
        return iter(loader)
    def __call__(self):
        raise RuntimeError("it is a loader, and no function")
def step(batch, scale=1.0):
    pass
def make_step():
    return step
loader = DataLoader(Items(), 10, num_workers=1, multiprocessing_context="spawn")
stream, own, some, number = Stream(), Own(), (torch.zeros(10, 3),) * 2, 7
def make_loader():
    return loader
def main(required=False):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=5, required=required)
    arguments = parser.parse_args()
    def step(batch):
        return None
    return DataLoader(Items(), arguments.batch_size), step
def strict():
    main(required=True)
def both():
    return loader, loader
def all_of_it():
    return loader, step, 7
def items():
    return Items()
"""


def test_a_loader_and_a_step_are_taken_as_they_are_and_what_makes_them_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "variables_train.py").write_text(VARIABLES)
    place, given = f"{tmp_path}/variables_train.py", []
    for name in ("path", "argv"):
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])

    def answer(*what: Any, **_options: Any) -> Diagnosis:
        given.append(what[:2])
        return Diagnosis((slowness.step_limit(Evidence()),), Evidence())

    monkeypatch.setattr("loaderlab.scripts.diagnose.diagnose", answer)
    for name in ("loader", "make_loader", "stream", "own", "some", "Stream"):
        for step in ("step", "make_step"):
            assert main([f"{place}:{name}", "--step", f"{place}:{step}"]) == 0
    train = sys.modules["variables_train"]
    expected = [train.loader, train.loader, train.stream, train.own, train.some]
    assert all(loader is one for (loader, _step), one in zip(given[::2], expected, strict=False))
    assert type(given[-1][0]) is train.Stream and {step for _loader, step in given} == {train.step}
    assert main([f"{place}:main"]) == 0
    loader, step = given.pop()
    assert loader.batch_size == 5 and step.__qualname__ == "main.<locals>.step"
    assert main([f"{place}:main", "--step", f"{place}:make_step"]) == 0 and given.pop()[1] is train.step
    assert main([f"{place}:strict"]) == 1 and "--batch-size" in capsys.readouterr().err
    with speaking("en"):
        for name in ("both", "all_of_it", "items"):
            assert main([f"{place}:{name}"]) == 1
            assert "Expected: one loader, or a loader and a step" in capsys.readouterr().err
        for arguments in ([f"{place}:number"], [f"{place}:loader", "--step", f"{place}:number"]):
            assert main(arguments) == 1 and "object is not callable" in capsys.readouterr().err

    def one_batch() -> Iterator[int]:
        """In a copy of this process, by a worker that imports the file again."""
        yield len(next(iter(clone(train.loader))))

    assert isolated(one_batch, 120).said == [10]


def test_a_function_that_makes_a_step_is_not_taken_for_a_step() -> None:
    def make_step(_model: Any) -> Any:
        return lambda _batch: None

    with speaking("en"), pytest.raises(TypeError, match="returns a function"):
        list(parts(DataLoader(DATA), make_step, 0.2, 1))


@pytest.mark.parametrize(("shuffle", "large"), [(True, True), (False, False)])
def test_the_bytes_of_an_order_are_those_that_its_objects_take(shuffle: bool, large: bool) -> None:
    """Of two million indices: each has a place in a list, and is an object. In their order they are no list."""

    def of_order() -> Iterator[int]:
        loader = DataLoader(range(2_000_000), 10, shuffle=shuffle)  # type: ignore[arg-type]
        yield from (what[2] for kind, *what in parts(loader, None, 0.5, 1) if kind == "sampler")

    (order,) = isolated(of_order, 60).said
    assert (order > 60 * 2**20) == large and order < 120 * 2**20


class Forgetting:
    """Batches of indices; to forget the order takes long."""

    def __iter__(self) -> Iterator[list[int]]:
        try:
            while True:
                time.sleep(0.01)
                yield [0, 1, 2, 3]
        finally:
            time.sleep(0.5)


def test_to_forget_an_order_is_in_no_batch() -> None:
    loader = DataLoader(DATA, batch_sampler=Forgetting())
    (said,) = [what for kind, *what in parts(loader, None, 1.0, 1) if kind == "sampler"]
    assert said[1].all < 0.05

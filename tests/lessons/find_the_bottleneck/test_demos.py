"""Lesson 8: what its cells stand on: a look from outside that always ends, repairs one by one, readings of a device."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from loaderlab.lessons.find_the_bottleneck import found, gpu, looking, photos, probes, repaired, scene
from loaderlab.lessons.find_the_bottleneck.model import Profile
from loaderlab.measuring import child
from processes import children, works
from waiting import within

FORKS = "fork" in multiprocessing.get_all_start_methods() and sys.platform == "linux"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return photos.make(tmp_path_factory.mktemp("photos"), files=8, photos=64)


@pytest.mark.long
@pytest.mark.skipif(not FORKS, reason="workers are found by their session")
def test_a_script_that_hangs_is_stopped_with_its_workers(tmp_path):
    script = tmp_path / "stalls.py"
    script.write_text(
        "import psutil, time\n"
        "from loaderlab.lessons.find_the_bottleneck import repaired\n"
        "Photos, Good = repaired.after(9)\n"
        "class Training(Good):\n"
        "    def epoch(self, epoch):\n"
        "        batches = iter(self.loader)\n"
        "        next(batches)\n"
        f"        with open({str(tmp_path / 'pids')!r}, 'w') as file:\n"
        "            file.write(' '.join(str(p.pid) for p in psutil.Process().children()))\n"
        "        time.sleep(600)\n"
    )
    written = tmp_path / "pids"
    for seconds in (8, 80):  # the second time, where the machine is so slow that the epoch had not begun
        found = probes.counts(script, timeout=seconds)
        assert found.keys() == {"stopped", "share"} and found["stopped"] is None
        if written.exists():
            break
    pids = written.read_text().split()
    assert pids and not any(map(works, map(int, pids)))


@pytest.mark.long
@pytest.mark.skipif(not FORKS, reason="workers are to inherit the files of a notebook")
@pytest.mark.parametrize("at_most", [10**6, 256])
def test_the_script_runs_where_a_shell_allows_256_open_files(tmp_path, at_most):
    """As macOS does: the script as found sends 64 tensors a batch, and a batch for which no file is left never comes."""
    folder = photos.make(tmp_path / "photos", files=8, photos=512)
    script = tmp_path / "begins.py"
    script.write_text(
        "import os, resource, sys, time\n"
        f"hard = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], {at_most})\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))\n"
        "import loaderlab as lab\n"
        "notebook = [open(os.devnull) for each in range(100)]\n"
        "before = os.listdir('/proc/self/fd')\n"
        "lab.begin('find_the_bottleneck')\n"
        "print('begun with', len(os.listdir('/proc/self/fd')) - len(before))\n"
        "from loaderlab.lessons.find_the_bottleneck import found\n"
        "loader = found.Training(sys.argv[1], ranks=1).loader\n"
        "loader.timeout = 60\n"
        "batches = iter(loader)\n"
        "time.sleep(3)  # meanwhile each worker makes two batches\n"
        "print('photos', sum(len(labels) for images, labels in batches))\n"
    )
    outcome = child.run(script, str(folder), timeout=200)
    assert outcome.output.endswith("begun with 0\nphotos 512\n"), outcome.errors


@pytest.mark.skipif(not FORKS, reason="needs fork")
def test_a_forked_process_that_hangs_is_stopped():
    before = children()
    with pytest.raises(ChildProcessError):
        looking.growth({"stalls": lambda: time.sleep(600)}, seconds=0.5)
    assert not children() - before


@pytest.mark.skipif(not FORKS, reason="needs fork")
def test_a_list_of_objects_grows_in_a_process_that_only_reads(tmp_path):
    folder = photos.make(tmp_path / "many", files=8, photos=40_000)
    kinds = {"as found": found.Photos(folder), "repaired": repaired.only("index")[0](folder)}

    def read(dataset):
        for i in range(len(dataset)):
            dataset.entry(i)

    grown = looking.growth({name: partial(read, dataset) for name, dataset in kinds.items()})
    as_found, after = (grown.column("grown_mib", script=name)[0] for name in kinds)
    assert as_found > after + 1


def test_where_nothing_forks_the_reason_is_said(monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    rows = looking.growth({"stalls": lambda: time.sleep(600)})
    assert not rows and "fork" in rows.why and "fork" in repr(rows)
    assert not rows.column("grown_mib", script="as found") > rows.column("grown_mib", script="repaired")


def test_each_repair_changes_only_its_own_classes():
    for name, parts in repaired.REPAIRS.items():
        kinds = repaired.only(name)
        for kind, base, part in zip(kinds, (found.Photos, found.Training), parts, strict=True):
            assert kind.__mro__[1:] == ((*part.__mro__[:-1], *base.__mro__) if part else base.__mro__)
    assert repaired.after(9) == repaired.without() and repaired.after(0) == repaired.only()


def test_a_process_that_is_spawned_finds_the_repaired_classes(folder):
    dataset = repaired.after(5)[0](folder)
    code = "import pickle, sys; print(len(pickle.load(sys.stdin.buffer)))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(dataset), capture_output=True, check=True
    )
    assert int(done.stdout) == 64


def test_the_packed_file_has_the_same_photos(folder):
    files, packed = found.Photos(folder), repaired.only("opens")[0](folder)
    assert [files.read(i) for i in range(10)] == [packed.read(i) for i in range(10)]


FAKE = """#!{python}
import sys, time
for reading in [90] * 5 + [50, "[N/A]", 70]:  # the first second tells of what was before
    print(reading, flush=True)
open({done!r}, "w").close()
time.sleep(600)
"""


@pytest.mark.skipif(os.name == "nt", reason="a script with a shebang")
def test_readings_of_the_device_end_with_the_body(tmp_path, monkeypatch):
    fake = tmp_path / "nvidia-smi"
    done = tmp_path / "done"
    fake.write_text(FAKE.format(python=sys.executable, done=str(done)))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(gpu, "device", list)
    with gpu.utilisation() as readings:
        assert within(60, done.exists)
    assert readings == [50.0, 70.0]
    assert not [p for p in psutil.Process().children() if "nvidia-smi" in " ".join(p.cmdline())]


def test_without_nvidia_smi_there_are_no_readings(monkeypatch):
    monkeypatch.setenv("PATH", str(Path(__file__).parent))
    monkeypatch.setattr(gpu, "device", list)
    with gpu.utilisation() as readings:
        pass
    assert readings == []


def test_the_rate_is_not_that_of_the_traced_loop(monkeypatch):
    """The traced loop does its work, too, but its seconds count for the kernels alone."""
    import torch.profiler

    recorded = SimpleNamespace(traced=False)

    @contextmanager
    def profile(**_options):
        recorded.traced = True
        yield recorded

    def work():
        calls.append(recorded.traced)
        time.sleep(0.05 if recorded.traced else 0.01)

    calls: list[bool] = []
    monkeypatch.setattr(torch.profiler, "profile", profile)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(gpu, "kernel_seconds", lambda _recorded: 0.125)
    monkeypatch.setattr(gpu, "TRACED", 0.25)
    monkeypatch.setattr(gpu, "utilisation", lambda: nullcontext([80.0, 90.0]))
    row = gpu.busy(work, 0.3)
    assert calls[0] is False and calls.count(True) >= 1
    assert row["per_second"] > 1.2 * calls.count(True) / 0.25
    # All but the call before the clock starts, in 0.3 s or, where the last one was late, somewhat more.
    assert 0.5 < row["per_second"] / ((calls.count(False) - 1) / 0.3) <= 1
    assert 0 < row["busy_percent"] <= 50 and row["gpu_percent"] == 85.0


def test_the_repaired_script_pins_for_a_gpu_and_only_there(folder):
    kind = repaired.after(9)[1]
    assert not kind(folder).loader.pin_memory
    training = kind(folder)
    training.device = SimpleNamespace(type="cuda")
    assert training.options()["pin_memory"]
    assert "pin_memory" not in repaired.without("floats")[1](folder).options()


def test_for_a_gpu_the_workers_are_as_many_as_cores(folder, monkeypatch):
    monkeypatch.setattr(repaired.machine, "usable_cores", lambda: 16.0)
    training = repaired.after(9)[1](folder)
    assert training.workers() == {"num_workers": 4}
    training.device = SimpleNamespace(type="cuda")
    assert training.workers() == {"num_workers": 16}


def test_only_kernels_count():
    from torch.autograd import DeviceType

    def event(key, microseconds, device=DeviceType.CUDA, note=False):
        return SimpleNamespace(
            key=key, self_device_time_total=microseconds, device_type=device, is_user_annotation=note
        )

    events = [
        event("gemm", 2000),
        event("aten::mm", 2000, DeviceType.CPU),
        event("Memcpy HtoD (Pinned -> Device)", 500),
        event("Optimizer.step#SGD.step", 900, note=True),
    ]
    assert gpu.kernel_seconds(SimpleNamespace(key_averages=lambda: events)) == pytest.approx(0.002)


def test_the_model_says_which_resource_bounds():
    usual = {"read_ms": 0.0, "decode_ms": 1.0, "transport_ms": 2.0, "step_ms": 10.0, "batch": 32}
    assert Profile(**usual, workers=1, cores=8).bound == ("workers", 33.0)
    assert Profile(**usual, workers=8, cores=2).bound == ("cores", 17.0)
    assert Profile(**usual, workers=8, cores=8).bound == ("loop", 11.0)
    assert Profile(**usual, workers=0, cores=8).bound == ("loop", 42.0)


def test_the_sentence_names_what_bounds():
    settings = {p.name: p.default for p in scene.PARAMETERS}
    assert "workers" in scene.draw(**settings).text
    assert "loop" in scene.draw(**settings | {"step_ms": 200.0}).text
    assert "cores" in scene.draw(**settings | {"workers": 16, "decode_ms": 10.0}).text
    assert "Starting" in scene.draw(**settings | {"persistent": False}).text

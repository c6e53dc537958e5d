"""`loaderlab peers`: each peer is checked before it is timed, a missing one is named, and nothing is left behind."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

from loaderlab import cli, recordings, session
from loaderlab.course import Lesson
from loaderlab.errors import LabError
from loaderlab.peers import KNOWN, PEERS, check, harness, material, picture, report
from loaderlab.peers.guest import Guest, PeerError
from loaderlab.peers.job import Job

pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """24 images, each with its number as its class."""
    return material.make(tmp_path_factory.mktemp("peers"), 24, 60, 1)


def job(images, peer="plain", **more):
    return Job(peer, str(images.folder), str(images.folder.parent / peer), workers=1, batch=8, **more)


def epoch(labels, first=0, **more):
    shape = [["torch.uint8", "3", "224", "224"]]
    sums = [first + label for label in labels]
    return {"labels": list(labels), "sums": sums, "shapes": shape, "changed": False, **more}


# ---- the check


def test_a_peer_that_does_its_work_passes_the_check():
    assert check.fault(epoch([0, 1, 2, 3]), epoch([3, 1, 0, 2], first=100), 4, 224) == ""


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"labels": [0, 1, 2]}, {}, "misses 1 of 4"),
        ({"labels": [0, 1, 2, 3, 3]}, {}, "1 images more than once"),
        ({"labels": [0, 1, 2, 3, 7]}, {}, "do not exist, for instance number 7"),
        ({"labels": [3, 1, 0, 2]}, {}, "order of the first"),
        ({}, {"first": 0}, "only 0 % of the images"),
        ({"shapes": [["torch.uint8", "224", "224", "3"]]}, {}, "torch.uint8 × 224 × 224 × 3, expected"),
        ({"shapes": [["torch.float32", "3", "224", "224"]]}, {}, "torch.float32"),
        ({"shapes": [], "labels": []}, {}, "no batch"),
        ({}, {"changed": True}, "kept changes"),
    ],
)
def test_the_check_says_what_is_wrong(first, second, words):
    one = epoch(first.pop("labels", [0, 1, 2, 3]), **first)
    other = epoch([3, 1, 0, 2], **{"first": 100, **second})
    assert words in check.fault(one, other, 4, 224)


BROKEN = {
    "misses": ("labels = labels[:-1]; images = images[:-1]", "misses"),
    "not shuffled": ("pass", "order of the first"),
    "reuses": (
        "buffer[:] = 0; images = buffer.copy_(images) if len(images) == 8 else images",
        "kept changes",
    ),
    "fails": ("raise OSError('no such shard')", "OSError: no such shard"),
}


@pytest.mark.parametrize(("how", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_peer_is_named_and_the_others_are_measured(images, tmp_path, monkeypatch, how, words):
    """A peer that was broken on purpose takes the place of `ffcv`."""
    folder = tmp_path / "loaderlab_broken"
    folder.mkdir()
    (folder / "broken.py").write_text(
        f"""
import torch
from loaderlab.peers import plain
from loaderlab.peers.pixels import pixels
buffer = torch.empty((8, 3, 224, 224), dtype=torch.uint8)
def source(job):
    dataset = plain.Files(job)
    def epoch(number):
        for first in range(0, len(dataset), 8):
            pairs = [dataset[i] for i in range(first, min(first + 8, len(dataset)))]
            images = torch.stack([image for image, _ in pairs]).permute(0, 3, 1, 2)
            labels = torch.tensor([label for _, label in pairs])
            {how}
            yield images, labels
    return epoch
"""
    )
    (folder / "sitecustomize.py").write_text(
        "import importlib.util, sys\n"
        "class Find:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'loaderlab.peers.ffcv':\n"
        f"            return importlib.util.spec_from_file_location(name, {str(folder / 'broken.py')!r})\n"
        "sys.meta_path.insert(0, Find())\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(harness, "version", lambda peer: (peer, "1"))
    monkeypatch.setitem(KNOWN, "ffcv", KNOWN["plain"])
    outcome = harness.measure(
        images,
        tmp_path,
        ["plain", "ffcv"],
        ["pillow"],
        ["same"],
        workers=1,
        rounds=1,
        batch=8,
        say=lambda text: None,
    )
    assert [row["peer"] for row in outcome.rows] == ["plain"]
    ((peer, decoder, why),) = outcome.left_out
    assert (peer, decoder) == ("ffcv", "pillow") and words in why


# ---- its process


def test_a_peer_that_hangs_is_ended_and_leaves_nothing(images):
    before = set(Path(tempfile.gettempdir()).glob("peer-*"))
    begin = time.monotonic()
    with pytest.raises(PeerError, match="no answer within 3 s"), Guest(job(images)) as guest:
        guest.ask(do="epoch", number=0)
        family = [psutil.Process(guest.pid), *psutil.Process(guest.pid).children(recursive=True)]
        guest.ask(timeout=3, do="epoch", number=1, step_ms=600_000)
    assert time.monotonic() - begin < 60 and len(family) >= 2
    assert not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in family)
    assert set(Path(tempfile.gettempdir()).glob("peer-*")) <= before


def test_a_peer_whose_process_ends_is_named(images):
    with Guest(job(images)) as guest:
        psutil.Process(guest.pid).kill()
        with pytest.raises(PeerError, match="its process ended"):
            guest.ask(do="epoch", number=0)
            guest.ask(do="epoch", number=0)


def test_an_error_in_the_peer_is_the_reason(images):
    with (
        Guest(job(images, peer="nobody")) as guest,
        pytest.raises(PeerError, match="ModuleNotFoundError: No module named 'loaderlab.peers.nobody'"),
    ):
        guest.ask(do="epoch", number=0)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no /dev/shm here")
def test_shared_memory_with_a_name_goes_with_a_peer_that_is_ended(images, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, mmap\n"
        f"if 'loaderlab.peers.host' in ' '.join(sys.orig_argv):\n"
        f"    file = open('/dev/shm/{tmp_path.name}-segment', 'w+b'); file.truncate(4096)\n"
        "    kept = mmap.mmap(file.fileno(), 4096)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    segment = Path(f"/dev/shm/{tmp_path.name}-segment")
    with pytest.raises(ZeroDivisionError), Guest(job(images)) as guest:
        guest.ask(do="epoch", number=0)
        assert segment.exists()
        raise ZeroDivisionError
    assert not segment.exists()


# ---- the command


def run(*words):
    command = [sys.executable, "-m", "loaderlab.cli", "--language", "en", "peers", *words]
    return [
        sys.executable,
        "-c",
        "import sys; from loaderlab.cli import main; sys.exit(main())",
        *command[3:],
    ]


def test_a_small_run_through_the_command(tmp_path):
    words = "--images 24 --rounds 1 --workers 1 --kilobytes 60 --peers plain webdataset recipe ffcv --decoder pillow --parts same"
    begin = time.monotonic()
    ran = subprocess.run(
        run(*words.split(), "--work", str(tmp_path)), capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert time.monotonic() - begin < 60
    for title in ("DataLoader", "WebDataset", "recipe", "limit:"):
        assert title in ran.stdout
    assert "FFCV: not installed (`pip install ffcv`)" in ran.stdout
    assert "the recipe reaches" in ran.stdout and "memory" in ran.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(end):
    with tempfile.TemporaryDirectory(prefix="p-") as folder:  # a short name: sockets lie in it
        interrupt(Path(folder), end)


def interrupt(tmp_path, end):
    words = "--images 24 --rounds 100000 --workers 1 --kilobytes 60 --peers plain recipe --decoder pillow --parts same"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        run(*words.split()), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    )
    try:
        for line in process.stderr:
            if line.startswith("round 2"):
                break
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(end)
        process.stderr.read()
        assert process.wait(60) != 0
    finally:
        process.kill()
        process.wait()
    assert len(family) >= 3
    assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in family)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_ones_own(tmp_path):
    from PIL import Image

    photographs = tmp_path / "photographs"
    photographs.mkdir()
    for name, mode in {"a.jpg": "RGB", "b.png": "RGBA", "grey one.jpg": "L", "d.jpg": "CMYK"}.items():
        Image.new(mode, (600, 520)).save(photographs / name)
    (photographs / "broken.jpg").write_bytes(b"\xff\xd8 no image")
    (photographs / "notes.txt").write_text("no image")
    said = []
    found = material.take(tmp_path / "work", photographs, 100, said.append)
    assert (found.count, found.factor) == (4, 2)
    assert any("broken.jpg" in text for text in said) and any("notes.txt" in text for text in said)
    (photographs / "broken.jpg").unlink()
    assert material.take(tmp_path / "less", photographs, 2, said.append).count == 2


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    assert cli.main(["--language", "en", "peers", "--folder", str(tmp_path / "nowhere"), "--quick"]) == 1
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--images", "0"], ["--peers", "nobody"], ["--kilobytes", "nan"], ["--rounds", "x"]]
)
def test_options_that_make_no_sense_are_refused(words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--language", "en", "peers", *words])
    assert end.value.code == 2 and words[0] in capsys.readouterr().err


def test_a_peer_that_is_not_installed_is_named(images, tmp_path, monkeypatch):
    monkeypatch.setitem(KNOWN, "litdata", type(KNOWN["litdata"])("LitData", ("no-such-package",)))
    outcome = harness.measure(images, tmp_path, ["litdata"], workers=1, say=lambda text: None)
    assert outcome.rows == [] and outcome.left_out == [
        ("litdata", "", "not installed (`pip install no-such-package`)")
    ]


def test_every_peer_has_a_link_to_its_documentation_and_what_is_asked_of_it():
    import ast

    for name in PEERS:
        tree = ast.parse((Path(harness.__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert functions >= ({"prepare", "source"} if KNOWN[name].writes else {"source"})
        assert name == "recipe" or "https://" in ast.get_docstring(tree)


# ---- rows, arithmetic, recording, picture


def row(peer, turn, rate, limit=100.0, configuration="same", decoder="pillow", mib=10.0):
    return {
        "configuration": configuration,
        "decoder": decoder,
        "peer": peer,
        "round": turn,
        "images_per_s": rate,
        "limit": limit,
        "ratio": rate / limit,
        "mib": mib,
        "first_ms": 5.0,
    }


ROWS = [
    *(row("recipe", turn, rate, mib=5.0) for turn, rate in enumerate((90.0, 96.0, 99.0))),
    *(row("plain", turn, rate) for turn, rate in enumerate((45.0, 80.0, 90.0))),
    *(row("webdataset", turn, rate) for turn, rate in enumerate((70.0, 70.0, 70.0))),
    *(row("recipe", turn, 150.0, limit=160.0, configuration="own", decoder="own") for turn in range(3)),
]


def test_ratios_are_taken_round_by_round():
    peers = report.grouped(ROWS)["same", "pillow"]
    times = report.against(peers["recipe"], peers["plain"])
    assert (times.median, times.low, times.high, times.n) == (1.2, 1.1, 2.0, 3)
    assert report.best(peers) == "plain"
    assert report.best({"recipe": peers["recipe"]}) is None


def test_the_table_has_every_peer_and_who_was_left_out():
    text = report.table(ROWS, [("dali", "own", "it broke"), ("ffcv", "", "not installed")])
    lines = text.splitlines()
    assert "limit: 100 images/s" in lines[0]
    assert [line.split()[0] for line in lines[2:5]] == ["recipe", "DataLoader", "WebDataset"]
    assert lines[2].split()[1:] == ["96", "90–99", "0.960", "5", "5"]
    assert "  DALI (own): it broke" in lines and "  FFCV: not installed" in lines
    first = report.verdicts(ROWS)[0]
    assert "0.960 of the limit" in first and "1.200 × DataLoader" in first and "0.50 × that" in first


def test_rows_have_the_columns_that_lesson_8_draws(images, tmp_path):
    outcome = harness.measure(
        images,
        tmp_path,
        ["recipe"],
        ["pillow"],
        ["same", "step"],
        workers=1,
        rounds=2,
        batch=8,
        say=lambda text: None,
    )
    assert outcome.left_out == [] and [(r["configuration"], r["round"]) for r in outcome.rows] == [
        ("same", 1),
        ("same", 2),
        ("step", 1),
        ("step", 2),
    ]
    for found in outcome.rows:
        assert set(found) == set(row("recipe", 1, 1.0))
        assert found["ratio"] == pytest.approx(found["images_per_s"] / found["limit"], abs=1e-3)
        assert found["mib"] > 10 and found["images_per_s"] > 0 and found["first_ms"] > 0
        assert json.loads(json.dumps(found)) == found


def test_the_newest_recording_is_found_by_its_name(tmp_path, monkeypatch):
    lesson = Lesson("find_the_bottleneck", 8, 1, folder_root=tmp_path)
    monkeypatch.setattr(session, "_session", session.Session(lesson))
    result = recordings.newest("peers")
    assert result.rows == [] and "no recording of peers" in result.stamp
    folder = tmp_path / "find_the_bottleneck" / "recordings"
    for device, date, rows in (("CPU A", "2026-01-02", ROWS[:1]), ("CPU B", "2026-03-04", ROWS)):
        path = recordings.write(
            folder, lesson.name, "peers", {}, {}, device, rows, versions={"webdataset": "1.0.2"}
        )
        path.write_text(json.dumps(json.loads(path.read_text()) | {"date": date}))
    recordings.write(folder, lesson.name, "others", {}, {}, "CPU C", ROWS[:2])
    result = recordings.newest("peers")
    assert result.rows == ROWS and result.stamp == "recorded on CPU B, 2026-03-04"
    assert recordings.read(path)["versions"]["webdataset"] == "1.0.2"
    assert picture.newest(tmp_path)["device"] == "CPU B"


def test_the_picture_shows_what_the_recording_says(tmp_path):
    arguments = {"images": 6000, "kilobytes": 115, "workers": 2, "rounds": 3}
    recording = {"rows": ROWS, "device": "CPU <A>", "date": "2026-03-04", "arguments": arguments}
    svg = picture.svg(recording)
    texts = [element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]
    assert {"recipe", "DataLoader", "WebDataset", "96", "80", "70", "limit 100", "limit 160"} <= set(texts)
    assert any(
        "CPU <A>" in text and "2026-03-04" in text and "6000 JPEGs of 115 kB" in text for text in texts
    )
    assert picture.svg(recording) == svg


def test_recording_replaces_that_of_the_same_machine(tmp_path, monkeypatch):
    from loaderlab.peers import command

    monkeypatch.setattr("loaderlab.course.FOLDER", tmp_path)
    folder = tmp_path / "find_the_bottleneck" / "recordings"
    outcome = harness.Outcome(ROWS, [("ffcv", "", "not installed")], {"webdataset": "1.0.2"})
    for images in (24, 48):
        path = command._record({"images": images}, "CPU A", outcome)
    command._record({"images": 24}, "CPU B", outcome)
    assert len(list(folder.iterdir())) == 2 and path.exists()
    found = recordings.read(path)
    assert found["arguments"] == {"images": 48} and found["versions"]["ffcv"] == "not measured: not installed"


def test_recording_needs_the_lesson(tmp_path, monkeypatch):
    from loaderlab.peers import command

    monkeypatch.setattr("loaderlab.course.FOLDER", tmp_path)
    with pytest.raises(LabError, match="find_the_bottleneck"):
        command.run(command.arguments(["--record", "--decoder", "pillow"]))

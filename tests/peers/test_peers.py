"""`loaderlab peers`: each peer is checked before it is timed, a missing one is named, and nothing is left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from xml.etree import ElementTree

import psutil
import pytest
import torch

from loaderlab import cli
from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.notebook import recordings, session
from loaderlab.peers import KNOWN, PEERS, check, command, harness, host, material, picture, recipe, report
from loaderlab.peers.job import Job
from loaderlab.peers.peer_process import Guest, PeerError
from loaderlab.peers.pixels import part
from loaderlab.peers.rounds import MOVED, TRIES, Round, Turn
from loaderlab.scripts.cuts import jpegtran

pytestmark = [pytest.mark.usefixtures("english"), pytest.mark.minutes(4)]
ANY = 1e6  # a tolerance that keeps every round: the epochs of these tests take milliseconds


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


@pytest.mark.long
def test_a_broken_peer_is_named_and_the_others_are_measured(images, tmp_path, monkeypatch):
    """Peers that were broken on purpose take the places of real ones; all in one run, since each process takes seconds."""
    places = dict(zip(("ffcv", "dali", "litdata", "streaming"), BROKEN, strict=True))
    folder = tmp_path / "loaderlab_broken"
    folder.mkdir()
    for place, name in places.items():
        (folder / f"{place}.py").write_text(
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
            {BROKEN[name][0]}
            yield images, labels
    return epoch
"""
        )
        monkeypatch.setitem(KNOWN, place, KNOWN["plain"])
    (folder / "sitecustomize.py").write_text(
        "import importlib.util, sys\n"
        "class Find:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        package, _, place = name.rpartition('.')\n"
        f"        if package == 'loaderlab.peers' and place in {list(places)}:\n"
        f"            return importlib.util.spec_from_file_location(name, {str(folder)!r} + f'/{{place}}.py')\n"
        "sys.meta_path.insert(0, Find())\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(harness, "version", lambda peer: (peer, "1"))
    outcome = harness.measure(
        images,
        tmp_path,
        ["plain", *places],
        ["pillow"],
        ["same"],
        workers=1,
        rounds=1,
        batch=8,
        tolerance=ANY,
        say=lambda text: None,
    )
    assert [row["peer"] for row in outcome.rows] == ["plain"]
    left_out = {peer: (decoder, why) for peer, decoder, why in outcome.left_out}
    assert len(left_out) == len(outcome.left_out) == len(places)
    for place, name in places.items():
        decoder, why = left_out[place]
        assert decoder == "pillow" and BROKEN[name][1] in why, (name, why)


# ---- its process


@pytest.mark.long
def test_a_peer_that_hangs_is_ended_and_leaves_nothing(images):
    before = set(Path(tempfile.gettempdir()).glob("peer-*"))
    with pytest.raises(PeerError, match="no answer within 3 s"), Guest(job(images)) as guest:
        guest.ask(do="epoch", number=0)
        family = [psutil.Process(guest.pid), *psutil.Process(guest.pid).children(recursive=True)]
        guest.ask(timeout=3, do="epoch", number=1, step_ms=600_000)
    assert len(family) >= 2
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


@pytest.mark.long
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


@pytest.mark.serial  # who works ahead is known by its CPU time
def test_an_epoch_is_timed_after_another_one_and_the_answer_comes_when_nobody_works_ahead(
    images, monkeypatch
):
    done, made = [], []

    def work_ahead():
        end = time.thread_time() + 0.5
        while time.thread_time() < end:
            pass
        made.append(True)

    def epoch(number):
        done.append(number)
        yield torch.empty(number, 0), torch.arange(number)
        Thread(target=work_ahead).start()

    monkeypatch.setitem(sys.modules, "loaderlab.peers.eager", SimpleNamespace(source=lambda job: epoch))
    found = []

    def answer(message):
        found.append((message["images"], len(made)))

    wishes = [{"do": "epoch", "number": 3}, {"do": "epoch", "number": 5, "lead": True}]
    host.run(job(images, "eager"), map(json.dumps, wishes), answer)
    assert done == [3, 4, 5] and found == [(3, 1), (5, 3)]


# ---- the command


def run(*words):
    command = [sys.executable, "-m", "loaderlab.cli", "--language", "en", "peers", *words]
    return [
        sys.executable,
        "-c",
        "import sys; from loaderlab.cli import main; sys.exit(main())",
        *command[3:],
    ]


@pytest.mark.long
def test_a_small_run_through_the_command(tmp_path):
    words = "--images 24 --rounds 1 --workers 1 --kilobytes 60 --peers plain webdataset recipe ffcv --decoder pillow --parts same --tolerance 1e8"
    ran = subprocess.run(
        run(*words.split(), "--work", str(tmp_path)), capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr
    for title in ("DataLoader", "WebDataset", "recipe", "limit (images/s)"):
        assert title in ran.stdout
    assert "FFCV: not installed (`pip install ffcv`)" in ran.stdout
    assert "rounds kept: 1, thrown away: 0" in ran.stdout
    assert "The recipe reaches" in ran.stdout and "Memory: " in ran.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(end):
    with tempfile.TemporaryDirectory(prefix="p-") as folder:  # a short name: sockets lie in it
        interrupt(Path(folder), end)


def interrupt(tmp_path, end):
    words = "--images 24 --rounds 100000 --workers 1 --kilobytes 60 --peers recipe --decoder pillow --parts same --tolerance 1e8"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        run(*words.split()), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    )
    try:
        for line in process.stderr:
            if line.startswith("round 1 "):
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
    "words",
    [
        ["--images", "0"],
        ["--peers", "nobody"],
        ["--kilobytes", "nan"],
        ["--rounds", "x"],
        ["--tolerance", "-1"],
    ],
)
def test_options_that_make_no_sense_are_refused(words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--language", "en", "peers", *words])
    assert end.value.code == 2 and words[0] in capsys.readouterr().err


def test_each_worker_gets_as_many_whole_batches_where_there_are_images_for_one():
    assert [command._whole(images, 2) for images in (1, 127, 128, 129, 1000, 6000)] == [
        *(1, 127, 128, 256, 1024, 6016),
    ]
    assert command._whole(1000, 3) == 1152


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
        assert ("work" in functions) == (KNOWN[name].work == name)
        assert functions >= ({"prepare", "source"} if KNOWN[name].writes else {"source"})
        assert name == "recipe" or "https://" in ast.get_docstring(tree)


# ---- rows, arithmetic, recording, picture


def row(peer, turn, rate, limit=100.0, configuration="same", decoder="pillow", mib=10.0):
    return {
        "configuration": configuration,
        "decoder": decoder,
        "peer": peer,
        "decodes": "crop" if peer == "recipe" else "image",
        "round": turn,
        "images_per_s": rate,
        **({"limit_of": "recipe", "limit": limit, "ratio": rate / limit} if limit else {}),
        "mib": mib,
        "first_ms": 5.0,
        "thrown_above": 0,
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


def outcome_of(rows, left_out=(), thrown=0):
    groups = {(r["configuration"], r["decoder"]): r["round"] for r in rows}
    return harness.Outcome(
        list(rows),
        list(left_out),
        {},
        kept={group: 1 + max(r["round"] for r in rows if (r["configuration"], r["decoder"]) == group) for group in groups},
        thrown=dict.fromkeys(groups, thrown),
    )  # fmt: skip


def test_the_table_has_every_peer_and_who_was_left_out():
    left_out = [("dali", "own", "it broke"), ("ffcv", "", "not installed")]
    lines = report.table(outcome_of(ROWS, left_out, thrown=2)).splitlines()
    assert lines[0] == "same · pillow · rounds kept: 3, thrown away: 2"
    assert [line.split()[0] for line in lines[2:5]] == ["recipe", "DataLoader", "WebDataset"]
    assert lines[2].split()[1:] == ["96", "90–99", "100", "96", "90–99", "0,", "0", "5", "5"]
    assert "  DALI (own): it broke" in lines and "  FFCV: not installed" in lines


def test_each_peer_has_its_own_limit_and_what_has_none_has_no_share_of_one():
    others = {"dali": (200.0, 250.0), "ffcv": (100.0, None)}
    rows = [
        *ROWS,
        *(
            row(peer, turn, rate, limit=limit, configuration="own", decoder="own")
            for peer, (rate, limit) in others.items()
            for turn in range(3)
        ),
    ]
    lines = report.table(outcome_of(rows)).splitlines()
    assert next(line.split()[1:6] for line in lines if "DALI" in line) == [
        "200", "200–200", "250", "80", "80–80",
    ]  # fmt: skip
    assert next(line.split()[1:6] for line in lines if "FFCV" in line) == ["100", "100–100", "–", "–", "–"]
    text = report.verdicts(rows)[1]
    assert "reaches 94% of its limit" in text  # and not of DALI's
    assert "DALI is faster in every round: the recipe is 0.75 times as fast (0.75–0.75)." in text
    assert "The recipe decodes no more than the crop needs; from JPEGs as they are, nobody can." in text


def test_a_limit_that_a_loader_beats_is_none_and_how_often_that_cost_a_round_is_said():
    dali = [row("dali", turn, rate) for turn, rate in enumerate((102.0, 99.0, 104.0))]
    text = "DALI was above its limit in 2 of 3 rounds (up to 104%), so that is none for it, and is left out; rounds thrown away because it was above by more than 5%: {}."
    for thrown, words in ((3, "3"), (None, "not recorded")):
        for one in dali:
            one["thrown_above"] = thrown
            if thrown is None:  # an older recording, in which DALI was said to decode only the crop
                del one["thrown_above"]
                one["decodes"] = "crop"
        assert text.format(words) in report.verdicts([*ROWS[:3], *dali])[0]
        line = next(
            line for line in report.table(outcome_of([*ROWS[:3], *dali])).splitlines() if "DALI" in line
        )
        assert line.split()[1:-2] == ["102", "99–104", "–", "–", "–", "2,", *words.split()]
    recording = {"rows": [*ROWS[:3], *dali], "device": "CPU", "date": "2026-03-04", "arguments": {}}
    svg = picture.svg(recording)
    assert svg.count('class="limit"/>') == 1 and "DALI (crop only)" not in svg


# ---- what is said holds in every round


def two(recipe, plain, third=(50.0, 50.0, 50.0)):
    peers = {"recipe": recipe, "plain": plain, "webdataset": third}
    return [row(peer, turn, rate) for peer, rates in peers.items() for turn, rate in enumerate(rates)]


@pytest.mark.parametrize(
    ("rows", "words", "never"),
    [
        (two((90, 96, 99), (45, 80, 90)), "fastest in every round: 1.20 times as fast as DataLoader, the next (1.10–2.00)", "agree"),
        (two((90, 96, 99), (45, 97, 90)), "do not agree on the fastest: the recipe is 1.10 times as fast as DataLoader (0.99–2.00)", "every round"),
        # It beats the next of them in every round, and a slower one but for one round.
        (two((90, 96, 99), (85, 90, 90), (50, 97, 50)), "do not agree", "every round"),
        (two((70, 75, 80), (90, 96, 99)), "DataLoader is faster in every round", "the fastest"),
    ],
)  # fmt: skip
def test_no_sentence_says_more_than_every_round_bears_out(rows, words, never):
    (text,) = report.verdicts(rows)
    assert words in text and never not in text
    assert "% of its limit (" in text


# ---- rounds that are thrown away


def made_up(*turns, others=0.0):
    return Round([Turn(*turn, work="recipe") for turn in turns], others=others, cores=2.0)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (made_up(("plain", 80, 100, 114), ("recipe", 104, 114, 100)), None),
        (made_up(("plain", 80, 100, 116), ("recipe", 104, 116, 100)), "The limit moved by 16%."),
        (made_up(("plain", 80, 100, 84)), "The limit moved by 19%."),
        (made_up(("plain", 80, 100, 100), ("recipe", 106, 100, 100)), "recipe beat the limit by 6%."),
        (made_up(("recipe", 104, 100, 98)), "recipe beat the limit by 5%."),
        # Two limits that differ have not moved, and what has none beats none.
        (Round([Turn("plain", 80, 100, 100, "plain"), Turn("recipe", 190, 200, 200, "recipe")]), None),
        (
            Round([Turn("plain", 80, 100, 100, "plain"), Turn("dali", 250, 200, 200, "dali")]),
            "DALI beat the limit by 25%.",
        ),
        (Round([Turn("ffcv", 150)]), None),
        (made_up(("plain", 80, 100, 100), others=0.3), "Cores that other programs used meanwhile: 0.3."),
        (made_up(("plain", 80, 100, 100), others=0.15), None),
    ],
)
def test_a_round_in_which_the_machine_was_not_quiet_is_not_kept(found, words):
    assert list(found.faults()) == ([words] if words else [])
    assert list(found.faults(tolerance=ANY)) == []


class Scripted:
    """A peer that answers with the rates that it is given, one after the other."""

    def __init__(self, *rates):
        self.rates, self.wishes = list(rates), []

    def ask(self, **wish):
        self.wishes.append(wish)
        rate = self.rates.pop(0)
        if rate is None:
            raise PeerError("it broke")
        return {"images": rate, "seconds": 1.0, "first": 0.005}


def rounds_of(rounds, **rates):
    outcome, said = harness.Outcome(), []
    guests = {
        peer.replace("limit", "limit:recipe"): (Scripted(*values), 10.0) for peer, values in rates.items()
    }
    group = harness.Group("same", "pillow", tuple(peer for peer in rates if peer != "limit"))
    rows = harness._rounds(guests, group, rounds, 0.0, MOVED, outcome, said.append)
    return rows, outcome, said


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Whatever else runs beside the tests takes nothing of the processor."""
    monkeypatch.setattr(harness.Others, "cores", lambda self: 0.0)


def test_a_round_that_is_thrown_away_is_said_and_measured_again():
    rows, outcome, said = rounds_of(2, limit=[100, 100, 100, 130, 100, 100], recipe=[90, 91, 92])
    assert [(r["round"], r["images_per_s"]) for r in rows] == [(1, 90), (2, 92)]
    assert outcome.kept == {("same", "pillow"): 2} and outcome.thrown == {("same", "pillow"): 1}
    assert said[2] == "This round is thrown away. The limit moved by 30%." and outcome.left_out == []
    assert said[1] == "round 2 of 2: recipe 91 (limit 115)"


def test_rounds_that_are_thrown_away_because_a_peer_beat_its_limit_are_counted_for_that_peer():
    rows, outcome, _said = rounds_of(2, limit=[100] * 12, recipe=[90, 120, 91, 92], plain=[110, 130, 60, 61])
    assert outcome.thrown == {("same", "pillow"): 2}
    assert [(r["peer"], r["thrown_above"]) for r in rows] == [
        ("recipe", 1),
        ("plain", 2),
        ("plain", 2),
        ("recipe", 1),
    ]


def test_each_peer_is_held_against_the_limit_around_it():
    rows, _outcome, _said = rounds_of(1, limit=[100, 104, 112], plain=[51], recipe=[108])
    assert [(r["peer"], r["limit"], r["ratio"]) for r in rows] == [("plain", 102, 0.5), ("recipe", 108, 1.0)]


def test_a_peer_is_timed_after_an_epoch_of_its_own_and_a_limit_needs_none():
    limit, peer = Scripted(100, 100, 100, 100), Scripted(90, 90)
    guests = {"limit:recipe": (limit, None), "recipe": (peer, 10.0)}
    group = harness.Group("same", "pillow", ("recipe",))
    harness._rounds(guests, group, 2, 0.0, MOVED, harness.Outcome(), lambda text: None)
    assert [(wish["number"], wish["lead"]) for wish in peer.wishes] == [(2, True), (3, True)]
    assert not any(wish["lead"] for wish in limit.wishes)


def test_peers_with_one_limit_follow_one_another_and_each_has_its_own():
    names = ("plain", "recipe", "webdataset", "ffcv")
    limits = {"limit:plain": [100, 104, 108], "limit:recipe": [200, 220]}
    guests = {name: (Scripted(*rates), 10.0) for name, rates in limits.items()}
    guests |= {name: (Scripted(90), 10.0) for name in names}
    group, outcome = harness.Group("standard", "own", names), harness.Outcome()
    rows = harness._rounds(guests, group, 1, 0.0, MOVED, outcome, lambda text: None)
    assert [(r["peer"], r.get("limit_of"), r.get("limit")) for r in rows] == [
        ("plain", "plain", 102), ("webdataset", "plain", 106), ("recipe", "recipe", 210), ("ffcv", None, None),
    ]  # fmt: skip


def test_in_each_part_a_peer_is_held_against_the_work_that_it_does():
    found = {
        (group.configuration, group.decoder): {peer: group.work(peer) for peer in group.peers}
        for group in harness.groups(PEERS, ["simplejpeg", "pillow"], harness.PARTS)
    }
    others = dict.fromkeys(("plain", "webdataset", "litdata", "streaming"), "plain")
    own = {**others, "spdl": "spdl", "dali": "dali", "recipe": "recipe"}
    assert found["standard", "own"] == {**own, "ffcv": ""} and found["own", "own"] == own
    assert set(found["same", "pillow"].values()) == {"recipe"} and "dali" not in found["same", "pillow"]
    assert found["stored", "pillow"] == {"recipe": "recipe"}
    assert found["step", "pillow"] == {"plain": "step", "recipe": "step"}


@pytest.mark.long
def test_the_standard_work_is_that_of_torchvision_or_the_peer_is_left_out(images, tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "TRANSFORMS", None)
    outcome = harness.measure(
        images, tmp_path, ["plain", "recipe"], ["pillow"], ["standard"], workers=1, rounds=1, batch=8, tolerance=ANY,
        say=lambda text: None,
    )  # fmt: skip
    assert outcome.left_out == [("plain", "standard", "not installed (`pip install torchvision`)")]
    assert not outcome.failed
    (found,) = outcome.rows
    assert (found["peer"], found["limit_of"]) == ("recipe", "recipe")
    assert found["decodes"] == ("crop" if jpegtran() else "image")


def test_the_limit_of_a_peer_works_on_the_files_and_names_what_fails(images, tmp_path):
    asked = {"decoder": "pillow", "workers": 1}
    with Guest(Job("limit", str(images.folder), str(tmp_path), of="plain", **asked)) as guest:
        assert guest.ask(do="epoch", number=0)["images"] == images.count
    with (
        Guest(Job("limit", str(images.folder), str(tmp_path), of="nobody", **asked)) as guest,
        pytest.raises(PeerError, match="No module named 'loaderlab.peers.nobody'"),
    ):
        guest.ask(do="epoch", number=0)


@pytest.mark.skipif(not jpegtran(), reason="no jpegtran here")
def test_the_recipe_cuts_only_where_it_is_to_decode_less(images, tmp_path):
    for cuttable in (True, False):
        packed = Job("recipe", str(images.folder), str(tmp_path), cuttable=cuttable)
        recipe.prepare(packed)
        assert recipe.crop_only(packed) == cuttable


def test_the_parts_of_the_standard_work_are_of_all_sizes(images):
    standard = Job("plain", str(images.folder), "", standard=True)
    random.seed(0)
    areas = sorted(
        drawn.width * drawn.height / (500 * 375) for drawn in (part(standard, (500, 375)) for _ in range(500))
    )
    assert 0.08 * 0.97 < areas[0] < 0.12 and 0.9 < areas[-1] <= 1.0
    assert 0.35 < areas[250] < 0.5  # large parts of another shape do not fit, and are drawn again


def test_a_machine_that_is_never_quiet_ends_the_measurement_and_is_not_recorded():
    rows, outcome, said = rounds_of(2, limit=[100, 130] * 20, recipe=[90] * 20)
    assert rows == [] and outcome.thrown == {("same", "pillow"): 2 * TRIES}
    assert outcome.left_out == [("limit", "pillow", f"no round could be kept; thrown away: {2 * TRIES}")]
    assert len([line for line in said if "thrown away" in line]) == 2 * TRIES
    assert report.few(outcome, 2) == [
        "same · pillow: rounds kept: 0, needed: 2. Measure again when nothing else runs."
    ]
    outcome.kept = {("same", "pillow"): 2}
    assert report.few(outcome, 2) == []


def test_a_peer_that_fails_within_a_round_leaves_the_others_their_limits():
    rows, outcome, _said = rounds_of(2, limit=[100, 102, 98, 100], plain=[None], recipe=[90, 91])
    assert [(r["peer"], r["limit"]) for r in rows] == [("recipe", 101), ("recipe", 99)]
    assert outcome.left_out == [("plain", "pillow", "it broke")]


def test_too_few_rounds_are_not_recorded(tmp_path, monkeypatch, capsys):
    from loaderlab.peers import command

    monkeypatch.setattr("loaderlab.course.syllabus.FOLDER", tmp_path)
    lesson = tmp_path / "find_the_bottleneck"
    lesson.mkdir()
    (lesson / "lesson.md").write_text("")
    outcome = outcome_of(ROWS[:2])
    monkeypatch.setattr(harness, "measure", lambda *_, **__: outcome)
    words = ["--record", "--decoder", "pillow", "--images", "4", "--work", str(tmp_path / "work")]
    assert command.run(command.arguments(words)) == 1
    assert "rounds kept: 2, needed: 3" in capsys.readouterr().out and not (lesson / "recordings").exists()
    outcome.kept = {("same", "pillow"): 3}
    assert command.run(command.arguments(words)) == 0
    (path,) = (lesson / "recordings").iterdir()
    assert recordings.read(path)["arguments"]["thrown"] == 0


def test_a_recording_takes_no_larger_tolerance(tmp_path):
    from loaderlab.peers import command

    with pytest.raises(LabError, match="at most 15"):
        command.run(command.arguments(["--record", "--decoder", "pillow", "--tolerance", "16"]))


@pytest.mark.long
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
        tolerance=ANY,
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
    assert {"DataLoader", "WebDataset", "96 (90–99) of 100", "80 (45–90) of 100", picture.LEGEND} <= set(
        texts
    )
    described = ElementTree.fromstring(svg)[1].text
    assert "recipe (crop only) 150 (150–150) of 160." in described
    assert svg.count('class="limit"/>') == 4  # a mark for each bar
    assert any("CPU <A>" in text and "2026-03-04" in text for text in texts)
    assert any("6000 JPEGs of 115 kB" in text for text in texts)
    assert picture.svg(recording) == svg
    recording["versions"] = {"python": "3.11.7"}
    assert "Python 3.11," in picture.stamp(recording)
    assert picture.stamp(recording).endswith("median and range of 3 rounds")
    arguments["thrown"] = 2
    assert picture.stamp(recording).endswith("median and range of 3 rounds; thrown away: 2")
    assert picture.said(recording)[0].startswith(
        "A window and a flip, the same decoder for all: Pillow. The recipe reaches 96% of"
    )


def test_recording_replaces_that_of_the_same_machine(tmp_path, monkeypatch):
    from loaderlab.peers import command

    monkeypatch.setattr("loaderlab.course.syllabus.FOLDER", tmp_path)
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

    monkeypatch.setattr("loaderlab.course.syllabus.FOLDER", tmp_path)
    with pytest.raises(LabError, match="find_the_bottleneck"):
        command.run(command.arguments(["--record", "--decoder", "pillow"]))

"""`loaderlab peers`: each peer is checked before it is timed, a missing one is named, and nothing is left behind."""

import ast
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock
from xml.etree import ElementTree

import psutil
import pytest
import torch

from loaderlab import cli
from loaderlab.i18n.errors import LabError
from loaderlab.measuring import child
from loaderlab.notebook import recordings
from loaderlab.peers import KNOWN, PEERS, command, harness, host, material, picture, recipe, report
from loaderlab.peers.harness import PARTS, TRIES, Group, Plan, groups
from loaderlab.peers.job import Job
from loaderlab.peers.peer_process import PeerError, ask, checked, fault
from loaderlab.scripts.cuts import jpegtran

pytestmark = [pytest.mark.usefixtures("english"), pytest.mark.minutes(1)]
COUNT = 24


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """24 images, each with its number as its class."""
    return material.make(tmp_path_factory.mktemp("peers") / "images", COUNT)


def job(images, peer="plain", **more):
    return Job(peer, str(images.folder), str(images.folder.parent / peer), workers=1, batch=8, **more)


def epoch(labels, first=0, **more):
    shape = [["torch.uint8", "3", "224", "224"]]
    sums = [first + label for label in labels]
    return {"labels": list(labels), "sums": sums, "shapes": shape, "changed": False, **more}


# ---- the check


def test_a_peer_that_does_its_work_passes_the_check():
    assert fault([epoch([0, 1, 2, 3]), epoch([3, 1, 0, 2], first=100)], 4, 224) == ""


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"labels": [0, 1, 2]}, {}, "misses 1 of 4"),
        ({"labels": [0, 1, 2, 3, 3]}, {}, "1 images more than once"),
        ({"labels": [0, 1, 2, 3, 7]}, {}, "do not exist, for instance number 7"),
        ({"labels": [3, 1, 0, 2]}, {}, "order of the first"),
        ({}, {"first": 0}, "only 0% of the images"),
        ({"shapes": [["torch.uint8", "224", "224", "3"]]}, {}, "torch.uint8 × 224 × 224 × 3, expected"),
        ({"shapes": [["torch.float32", "3", "224", "224"]]}, {}, "torch.float32"),
        ({"shapes": [], "labels": []}, {}, "no batch"),
        ({}, {"changed": True}, "kept changes"),
    ],
)
def test_the_check_says_what_is_wrong(first, second, words):
    one = epoch(first.pop("labels", [0, 1, 2, 3]), **first)
    other = epoch([3, 1, 0, 2], **{"first": 100, **second})
    assert words in fault([one, other], 4, 224)


def looked_at(asked):
    return json.loads(json.dumps(host.look(asked)))


def made_up(monkeypatch, epochs):
    monkeypatch.setitem(sys.modules, "loaderlab.peers.made_up", SimpleNamespace(source=lambda job: epochs))


@pytest.mark.parametrize(("reuses", "words"), [(False, ""), (True, "kept changes")])
def test_what_is_looked_at_is_what_comes_and_whether_it_stays(images, monkeypatch, reuses, words):
    buffer = torch.empty((8, 3, 224, 224), dtype=torch.uint8)

    def epochs(number):
        for labels in torch.randperm(COUNT).split(8):
            batch = torch.randint(256, (8, 3, 224, 224), dtype=torch.uint8)
            yield buffer.copy_(batch) if reuses else batch, labels

    made_up(monkeypatch, epochs)
    answer = looked_at(job(images, "made_up"))
    assert words in fault(answer["epochs"], COUNT, 224) and answer["mib"] > 10
    assert bool(words) == bool(fault(answer["epochs"], COUNT, 224))


def test_what_ffcv_hands_over_can_be_kept(images, monkeypatch):
    memory = torch.empty((8, 3, 224, 224), dtype=torch.uint8), torch.empty((8, 1), dtype=torch.int64)

    class Loader:  # as FFCV's, which fills the same memory again
        def __iter__(self):
            for labels in torch.randperm(COUNT).split(8):
                yield memory[0].random_(), memory[1].copy_(labels[:, None])

    ours = (
        ".fields",
        ".fields.decoders",
        ".fields.rgb_image",
        ".libffcv",
        ".loader",
        ".reader",
        ".transforms",
        ".writer",
    )
    for name in ("", *ours):
        monkeypatch.setitem(sys.modules, f"ffcv{name}", MagicMock(Loader=lambda *_, **__: Loader()))
    monkeypatch.setitem(sys.modules, "loaderlab.peers.ffcv", None)
    del sys.modules["loaderlab.peers.ffcv"]  # and again when the test ends
    assert fault(looked_at(job(images, "ffcv"))["epochs"], COUNT, 224) == ""


def installed(peer):
    return harness._installed(KNOWN[peer].packages) is not None


@pytest.mark.long
@pytest.mark.parametrize("peer", PEERS)
def test_each_peer_that_is_here_delivers_every_image_anew(images, peer):
    if not installed(peer):
        pytest.skip(f"{peer} is not here")
    asked = job(images, peer, decoder="pillow" if "same" in KNOWN[peer].parts else "own")
    harness._prepare(asked, set())
    assert checked(asked, COUNT) > 10


def test_every_peer_has_a_link_to_its_documentation_and_what_is_asked_of_it():
    for name in PEERS:
        tree = ast.parse((Path(harness.__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert ("work" in functions) == (KNOWN[name].work == name)
        assert functions >= ({"prepare", "source"} if KNOWN[name].writes else {"source"})
        assert name == "recipe" or "https://" in ast.get_docstring(tree)


# ---- its process


def test_an_epoch_is_timed_after_another_one(images, monkeypatch):
    done = []

    def epochs(number):
        done.append(number)
        yield torch.empty(number + 4, 0), torch.arange(number + 4)

    made_up(monkeypatch, epochs)
    found = host.timed(job(images, "made_up"))
    assert done == [0, 1] and found["images"] == 5 and 0 < found["first"] < found["seconds"]


def test_an_error_in_the_peer_is_the_reason(images):
    with pytest.raises(PeerError, match=r"ModuleNotFoundError: No module named 'loaderlab.peers.nobody'"):
        ask("time", job(images, "nobody"))


@pytest.mark.parametrize(
    ("status", "errors", "words"), [(-9, "first\nlast\n\n", "its process ended: last"), (None, "", "no answer within 3 s")]
)  # fmt: skip
def test_a_peer_whose_process_ends_or_hangs_is_named(images, monkeypatch, status, errors, words):
    monkeypatch.setattr(child, "run", lambda *_, **__: child.Outcome(status, "", errors))
    with pytest.raises(PeerError, match=words):
        ask("time", job(images), timeout=3)


@pytest.mark.long
def test_the_limit_of_a_peer_works_on_the_files_and_names_what_fails(images):
    assert ask("time", job(images, "limit", of="plain"))["images"] == COUNT
    with pytest.raises(PeerError, match=r"No module named 'loaderlab.peers.nobody'"):
        ask("time", job(images, "limit", of="nobody"))


@pytest.mark.skipif(not jpegtran(), reason="no jpegtran here")
def test_the_recipe_cuts_only_where_it_is_to_decode_less(images, tmp_path):
    for cuttable in (True, False):
        packed = Job("recipe", str(images.folder), str(tmp_path), cuttable=cuttable)
        recipe.prepare(packed)
        assert recipe.crop_only(packed) == cuttable


# ---- the command


def run(*words):
    main = "import sys; from loaderlab.cli import main; sys.exit(main())"
    return [
        sys.executable,
        "-c",
        main,
        *["--language", "en", "peers", "--images", "24", "--workers", "1"],
        *words,
    ]


@pytest.fixture
def short():
    """A folder for temporary files whose name is short: that of a socket in it may have a hundred characters."""
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        yield Path(folder)


@pytest.mark.long
def test_a_small_run_through_the_command(short):
    words = "--rounds 1 --peers plain recipe ffcv --parts same --tolerance 1e8"
    ran = subprocess.run(
        run(*words.split()), capture_output=True, text=True, timeout=600, check=False,
        env=os.environ | {"TMPDIR": str(short)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for title in ("DataLoader", "recipe", "limit (images/s)"):
        assert title in ran.stdout
    assert installed("ffcv") or "FFCV: not installed (`pip install ffcv`)" in ran.stdout
    assert "rounds kept: 1, thrown away: 0" in ran.stdout
    assert "The recipe reaches" in ran.stdout and "times the memory of" in ran.stdout
    assert list(short.iterdir()) == []


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupted_run_leaves_nothing(short):
    words = "--rounds 100000 --peers recipe --parts standard --tolerance 1e8"
    environment = os.environ | {"TMPDIR": str(short)}
    process = subprocess.Popen(
        run(*words.split()), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    )
    try:
        for line in process.stderr:
            if "checked" in line:
                break
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        assert process.wait(60) != 0
    finally:
        process.kill()
        process.wait()
    assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in family)
    assert list(short.iterdir()) == []


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


@pytest.mark.parametrize(
    "words", [["--images", "0"], ["--peers", "nobody"], ["--rounds", "x"], ["--tolerance", "nan"]]
)
def test_options_that_make_no_sense_are_refused(words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--language", "en", "peers", *words])
    assert end.value.code == 2 and words[0] in capsys.readouterr().err


def test_each_worker_gets_as_many_whole_batches_where_there_are_images_for_one():
    sizes = [command._whole(images, 2) for images in (1, 127, 128, 129, 1000, 6000)]
    assert sizes == [1, 127, 128, 256, 1024, 6016]
    assert command._whole(1000, 3) == 1152


# ---- rows, arithmetic, recording, picture


def row(peer, turn, rate, limit=100.0, configuration="same", decoder="pillow", mib=10.0):
    return {
        "configuration": configuration,
        "decoder": decoder,
        "peer": peer,
        "decodes": "crop" if peer == "recipe" else "image",
        "round": turn,
        "images_per_s": rate,
        "limit_of": "recipe",
        "limit": limit,
        "ratio": rate / limit,
        "mib": mib,
        "first_ms": 5.0,
    }


ROWS = [
    *(row("recipe", turn, rate, mib=5.0) for turn, rate in enumerate((90.0, 96.0, 99.0))),
    *(row("plain", turn, rate) for turn, rate in enumerate((45.0, 80.0, 90.0))),
    *(row("webdataset", turn, rate) for turn, rate in enumerate((70.0, 70.0, 70.0))),
    *(row("recipe", turn, 150.0, limit=160.0, configuration="standard", decoder="own") for turn in range(3)),
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
    assert lines[2].split()[:3] == ["recipe", "(crop", "only)"]
    assert lines[2].split()[3:] == ["96", "90–99", "100", "96", "90–99", "5", "5"]
    assert "  DALI (own): it broke" in lines and "  FFCV: not installed" in lines


def test_each_peer_has_its_own_limit_and_what_beats_it_has_no_share_of_it():
    others = {"dali": (200.0, 250.0), "ffcv": (100.0, 90.0)}
    rows = [
        *ROWS,
        *(
            row(peer, turn, rate, limit=limit, configuration="standard", decoder="own")
            for peer, (rate, limit) in others.items()
            for turn in range(3)
        ),
    ]
    lines = report.table(outcome_of(rows)).splitlines()
    assert next(line.split()[1:6] for line in lines if "DALI" in line) == [
        "200", "200–200", "250", "80", "80–80",
    ]  # fmt: skip
    ffcv = next(line for line in lines if "FFCV" in line)
    assert ffcv.split("(TurboJPEG, encoded anew)")[1].split()[:5] == ["100", "100–100", "–", "–", "–"]
    text = report.verdicts(rows)[1]
    assert "reaches 94% of its limit" in text  # and not of DALI's
    assert "DALI is faster in every round: the recipe is 0.75 times as fast (0.75–0.75)." in text
    assert (
        "The recipe decodes no more than the crop needs; from JPEG files as they are, no loader can." in text
    )


def test_a_limit_that_a_loader_beats_is_none():
    dali = [row("dali", turn, rate) for turn, rate in enumerate((102.0, 99.0, 104.0))]
    for one in dali:
        one["decodes"] = "crop"  # as recordings until 2026-11-26 say
    text = (
        "DALI was above its limit in 2 of 3 rounds (up to 104%), so this is no limit for it, and is left out."
    )
    assert text in report.verdicts([*ROWS[:3], *dali])[0]
    lines = report.table(outcome_of([*ROWS[:3], *dali])).splitlines()
    assert next(line.split()[1:6] for line in lines if "DALI" in line) == ["102", "99–104", "–", "–", "–"]
    recording = {"rows": [*ROWS[:3], *dali], "device": "CPU", "date": "2026-03-04", "arguments": {}}
    svg = picture.svg(recording)
    assert svg.count('class="limit"/>') == 1 and "DALI (crop only)" not in svg


def test_what_sets_a_peer_apart_stands_beside_its_name_where_it_decodes_by_itself():
    own, shared = ([row("spdl", 0, 90.0, decoder=decoder)] for decoder in ("own", "pillow"))
    assert [report.title("spdl", rows) for rows in (own, shared)] == ["SPDL (FFmpeg)", "SPDL"]
    assert report.title("ffcv", [row("ffcv", 0, 90.0, decoder="own")]) == "FFCV (TurboJPEG, encoded anew)"


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


@pytest.mark.parametrize(
    ("limits", "others", "words"),
    [
        ([100, 114, 100], 0.0, ""),
        ([100, 116, 100], 0.0, "The limit moved by 16%."),
        ([100, 84], 0.0, "The limit moved by 19%."),
        ([100, 100], 0.3, "Cores that other programs used meanwhile: 0.3."),
        ([100, 100], 0.15, ""),
    ],
)
def test_what_was_measured_while_the_machine_was_not_quiet_is_not_kept(monkeypatch, limits, others, words):
    monkeypatch.setattr(harness.machine, "usable_cores", lambda: 2.0)
    assert harness.fault(limits, others) == words
    assert harness.fault(limits, others, tolerance=1e6) == ""


def measured(monkeypatch, images, rounds, configuration="same", **rates):
    """Let peers and limits answer with these rates, one after the other; returns outcome, what was said, and who was asked."""
    said, asked = [], []

    def answer(wish, job):
        name = f"limit_{job.of}" if job.of else job.peer
        asked.append((name, job.seed))
        rate = rates[name].pop(0)
        if rate is None:
            raise PeerError("it broke")
        return {"images": rate, "seconds": 1.0, "first": 0.005}

    monkeypatch.setattr(harness, "ask", answer)
    monkeypatch.setattr(harness.Others, "cores", lambda self: 0.0)
    monkeypatch.setattr(recipe, "crop_only", lambda job: job.cuttable)
    plan, outcome = Plan(images, Path("nowhere"), 1, rounds=rounds, say=said.append), harness.Outcome()
    peers = tuple(name for name in rates if not name.startswith("limit"))
    decoder = "pillow" if configuration == "same" else "own"
    harness._rounds(plan, Group(configuration, decoder, peers), dict.fromkeys(peers, 10.0), outcome)
    return outcome, said, asked


def test_a_turn_in_which_the_limit_moved_is_measured_again(monkeypatch, images):
    rates = {"limit_recipe": [100, 100, 130, 130], "recipe": [90, 91, 117]}
    outcome, _said, _asked = measured(monkeypatch, images, 1, **rates)
    assert [(r["images_per_s"], r["limit"]) for r in outcome.rows] == [(90, 100)]
    rates = {"limit_recipe": [100, 130, 130], "recipe": [91, 117]}
    outcome, said, _asked = measured(monkeypatch, images, 1, **rates)
    assert [(r["images_per_s"], r["limit"]) for r in outcome.rows] == [(117, 130)]
    assert outcome.again == 1 and outcome.thrown == {("same", "pillow"): 0}
    assert said == ["recipe: measured again. The limit moved by 30%.", "round 1 of 1: recipe 117"]


def test_a_round_whose_turns_cannot_be_compared_is_thrown_away_and_measured_again(monkeypatch, images):
    # Within each turn the limit moves by 14 % at most, from the first turn to the last by 21 %.
    rates = {"limit_recipe": [100, 100, 114, 128, *[100] * 4]}
    rates |= {"plain": [90, 92], "recipe": [95, 93], "webdataset": [117, 94]}
    outcome, said, asked = measured(monkeypatch, images, 1, **rates)
    assert {r["peer"]: r["images_per_s"] for r in outcome.rows} == {
        "plain": 92,
        "recipe": 93,
        "webdataset": 94,
    }
    assert outcome.kept == {("same", "pillow"): 1} and outcome.thrown == {("same", "pillow"): 1}
    assert "This round is thrown away. The limit moved by 21%." in said and outcome.left_out == []
    assert {seed for _name, seed in asked} == {0, 1}  # other crops in each
    for found in outcome.rows:
        assert set(found) == set(row("recipe", 1, 1.0)) and json.loads(json.dumps(found)) == found


def test_each_peer_is_held_against_the_limit_around_it(monkeypatch, images):
    rates = {"limit_recipe": [100, 104, 112], "plain": [51], "recipe": [108]}
    outcome, _said, _asked = measured(monkeypatch, images, 1, **rates)
    assert [(r["peer"], r["limit"], r["ratio"]) for r in outcome.rows] == [
        ("plain", 102, 0.5),
        ("recipe", 108, 1),
    ]


def test_peers_with_one_limit_follow_one_another_and_each_has_its_own(monkeypatch, images):
    rates = {"limit_plain": [100, 104, 108], "limit_recipe": [200, 220], "limit_ffcv": [120, 120]}
    rates |= {name: [90] for name in ("plain", "recipe", "webdataset", "ffcv")}
    outcome, _said, _asked = measured(monkeypatch, images, 1, configuration="standard", **rates)
    assert [(r["peer"], r.get("limit_of"), r.get("limit")) for r in outcome.rows] == [
        ("plain", "plain", 102), ("webdataset", "plain", 106), ("recipe", "recipe", 210), ("ffcv", "ffcv", 120),
    ]  # fmt: skip


def test_each_round_begins_with_another_peer(monkeypatch, images):
    rates = {"limit_recipe": [100] * 6, "plain": [90, 90], "recipe": [95, 95]}
    _outcome, _said, asked = measured(monkeypatch, images, 2, **rates)
    assert [name for name, _seed in asked if "limit" not in name] == ["plain", "recipe", "recipe", "plain"]


def test_a_peer_that_fails_within_a_round_leaves_the_others_their_limits(monkeypatch, images):
    rates = {"limit_recipe": [100, 102, 98, 100], "plain": [None], "recipe": [90, 91]}
    outcome, _said, _asked = measured(monkeypatch, images, 2, **rates)
    assert [(r["peer"], r["limit"]) for r in outcome.rows] == [("recipe", 101), ("recipe", 99)]
    assert outcome.left_out == [("plain", "pillow", "it broke")] and outcome.failed == {"plain"}


def test_a_machine_that_is_never_quiet_ends_the_measurement_and_is_not_recorded(monkeypatch, images):
    rates = {"limit_recipe": [100, 130] * 40, "recipe": [90] * 60}
    outcome, said, _asked = measured(monkeypatch, images, 2, **rates)
    assert outcome.rows == [] and outcome.thrown == {("same", "pillow"): 2 * TRIES}
    assert len([line for line in said if "thrown away" in line]) == 2 * TRIES
    assert (
        outcome.again == len([line for line in said if "measured again" in line]) == 2 * TRIES * harness.TURNS
    )
    words = "same · pillow: rounds kept: 0, needed: 2. Measure again when nothing else runs."
    assert report.few(outcome, 2) == [words]
    outcome.kept = {("same", "pillow"): 2}
    assert report.few(outcome, 2) == []


def test_in_each_part_a_peer_is_held_against_the_work_that_it_does():
    found = {
        (group.configuration, group.decoder): {peer: group.work(peer) for peer in group.peers}
        for group in groups(PEERS, ["pillow", "simplejpeg"], PARTS)
    }
    others = dict.fromkeys(("plain", "webdataset", "litdata", "streaming"), "plain")
    own = {**others, "spdl": "spdl", "dali": "dali", "recipe": "recipe"}
    assert found["standard", "own"] == {**own, "ffcv": "ffcv"}
    assert set(found["same", "pillow"].values()) == {"recipe"} and "dali" not in found["same", "pillow"]
    assert found["stored", "simplejpeg"] == {"recipe": "recipe"} and len(found) == 4


def test_what_is_missing_is_named_and_the_standard_work_is_that_of_torchvision(images, tmp_path, monkeypatch):
    here = {"torch": ("torch", "2")}
    monkeypatch.setattr(harness, "_installed", lambda packages: here.get(packages[0]))
    monkeypatch.setattr(harness, "ask", lambda wish, job: {"images": 9, "seconds": 1, "first": 0})
    monkeypatch.setattr(harness, "checked", lambda job, count: 10.0)
    monkeypatch.setattr(recipe, "crop_only", lambda job: True)
    plan = Plan(images, tmp_path, 1, rounds=1, tolerance=1e6, say=lambda text: None)
    outcome = harness.measure(plan, ["plain", "litdata", "recipe"], ["pillow"], ["standard"])
    assert outcome.left_out == [
        ("litdata", "", "not installed (`pip install --no-deps litdata`)"),
        ("plain", "standard", "not installed (`pip install torchvision`)"),
    ]
    (found,) = outcome.rows
    assert not outcome.failed
    assert (found["peer"], found["limit_of"], found["decodes"]) == ("recipe", "recipe", "crop")


# ---- recording, picture


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A lesson 8 of its own, and what `measure` found: a function of the rows."""
    monkeypatch.setattr("loaderlab.course.syllabus.FOLDER", tmp_path)
    folder = tmp_path / "find_the_bottleneck"
    folder.mkdir()
    (folder / "lesson.md").write_text("")
    return folder


def options(*words):
    parser = command.argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(["--record", "--images", "4", *words])


def test_too_few_rounds_are_not_recorded(lesson, monkeypatch, capsys):
    outcome = outcome_of(ROWS[:2])
    monkeypatch.setattr(harness, "measure", lambda *_: outcome)
    assert command.run(options()) == 1
    assert "rounds kept: 2, needed: 3" in capsys.readouterr().out and not (lesson / "recordings").exists()
    outcome.kept = {("same", "pillow"): 3}
    assert command.run(options()) == 0
    (path,) = (lesson / "recordings").iterdir()
    assert recordings.read(path)["arguments"]["thrown"] == 0


@pytest.mark.parametrize(
    ("words", "parts"), [([], PARTS), (["--quick"], PARTS[:1]), (["--quick", "--record"], PARTS)]
)
def test_a_first_look_has_the_standard_work_and_a_recording_has_all(lesson, monkeypatch, words, parts):
    asked = []
    monkeypatch.setattr(harness, "measure", lambda *given: asked.append(given[-1]) or outcome_of(ROWS))
    monkeypatch.setattr(material, "make", lambda folder, count: material.Material(folder, count, 110.0, 1))
    given = options(*words)
    given.record = "--record" in words
    assert command.run(given) == 0 and asked == [parts]


def test_a_recording_needs_quiet_rounds_and_the_lesson(lesson):
    with pytest.raises(LabError, match="at most 15"):
        command.run(options("--tolerance", "16"))
    (lesson / "lesson.md").unlink()
    with pytest.raises(LabError, match="find_the_bottleneck"):
        command.run(options())


def test_recording_replaces_that_of_the_same_machine(lesson):
    outcome = harness.Outcome(ROWS, [("ffcv", "", "not installed")], {"webdataset": "1.0.2"})
    for images in (24, 48):
        path = command._record({"images": images}, "CPU A", outcome)
    command._record({"images": 24}, "CPU B", outcome)
    assert len(list((lesson / "recordings").iterdir())) == 2 and path.exists()
    found = recordings.read(path)
    assert found["arguments"] == {"images": 48} and found["versions"]["ffcv"] == "not measured: not installed"


def test_the_picture_is_of_the_newest_recording_of_peers(lesson):
    for name, device, date, rows in (
        ("peers", "CPU A", "2026-01-02", ROWS[:1]),
        ("peers", "CPU B", "2026-03-04", ROWS),
        ("others", "CPU C", "2026-03-05", ROWS[:2]),
    ):
        path = recordings.write(lesson / "recordings", lesson.name, name, {}, {}, device, rows)
        path.write_text(json.dumps(json.loads(path.read_text()) | {"date": date}))
    assert picture.newest(lesson.parent)["device"] == "CPU B"


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
    arguments["again"] = 4
    assert picture.stamp(recording).endswith("; thrown away: 2; turns measured again: 4")
    assert picture.said(recording)[0].startswith(
        "A window and a flip, the same decoder for all: Pillow. The recipe reaches 96% of"
    )

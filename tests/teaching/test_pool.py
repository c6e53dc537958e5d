"""The class result: pictures carry what was measured here, and `loaderlab pool` draws everybody's curve."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from loaderlab import cli
from loaderlab.course.comparison import BET, Comparison
from loaderlab.drawing import png_metadata
from loaderlab.i18n import language
from loaderlab.measuring import machine
from loaderlab.notebook import figures, session
from loaderlab.notebook.recordings import Result
from loaderlab.publish.checkout import TRANSLATIONS
from loaderlab.teaching import pool, pooled, pooled_bets
from loaderlab.teaching.learner_curve import stored

RATES = {"wait": (100, 200, 400, 800), "memory": (900, 400, 300, 100)}
ROWS = [
    {"kind": kind, "num_workers": n, "samples_per_second": rate * wobble, "secret": "not drawn"}
    for kind, rates in RATES.items()
    for n, rate in zip((0, 1, 2, 4), rates, strict=True)
    for wobble in (0.5, 1.0, 1.1)
] + [{"kind": "wait", "limit": 900.0}]


@pytest.fixture(autouse=True)
def lesson(capsys):
    session.begin("workers")
    capsys.readouterr()


def drawn(rows: list[dict[str, Any]] = ROWS, **about: Any):
    return figures.rates(
        Result("sweep", rows, device=machine.device_name("cpu"), **about), "num_workers", by="kind"
    )


@pytest.fixture(scope="module")
def picture() -> bytes:
    """As a learner's notebook stores it."""
    session.begin("workers")
    return drawn().png


def edited(png: bytes, machine: dict[str, Any] | None = None, **fields: Any) -> bytes:
    """A fixture, plainly: the same picture with other things in it."""
    content = png_metadata.unpack(png)
    return png_metadata.pack(png, content | fields | {"machine": content["machine"] | (machine or {})})


def notebook(*pngs: bytes) -> str:
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": base64.b64encode(png).decode()}}
        for png in pngs
    ]
    cells = [{"cell_type": "code", "metadata": {}, "source": "", "execution_count": 1, "outputs": outputs}]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def pooled_by(folder: Path, *options: str) -> int:
    return cli.main(["--language", "en", "pool", str(folder), *options])


def test_a_picture_carries_the_rows_that_it_shows_and_nothing_of_the_person(picture):
    content = png_metadata.unpack(picture)
    assert (content["lesson"], content["benchmark"], content["x"]) == ("workers", "sweep", "num_workers")
    assert len(content["rows"]) == len(ROWS)
    shown = {"kind", "num_workers", "samples_per_second", "limit"}
    assert {key for row in content["rows"] for key in row} == shown
    assert set(content["machine"]) == {"processor", "cores", "ram_gib", "start_method", "system", "torch"}


def test_the_rows_change_no_pixel_and_little_of_the_size(picture):
    bare = io.BytesIO()
    Image.open(io.BytesIO(picture)).save(bare, "PNG", compress_level=6)
    with Image.open(io.BytesIO(picture)) as one, Image.open(bare) as other:
        assert one.tobytes() == other.tobytes()
    assert len(picture) - len(bare.getvalue()) < 5_000


def test_only_the_picture_itself_is_stored(picture):
    data, metadata = drawn()._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"} and set(metadata) == {"image/png"}


def test_a_recording_and_the_courses_own_notebooks_are_no_learners(monkeypatch):
    replayed = drawn(live=False).png
    monkeypatch.setenv(png_metadata.BUILDING, "1")
    for png, rows in ((replayed, []), (drawn().png, ROWS)):
        assert len(png_metadata.unpack(png)["rows"]) == len(rows)
        assert not stored(notebook(png).encode()).curves


def test_a_curve_has_the_medians_of_its_repeats(picture):
    (wait, memory) = stored(notebook(picture).encode()).curves
    assert dict(wait.points) == {0: 100, 1: 200, 2: 400, 4: 800}
    assert (wait.best, wait.gain, memory.best, memory.gain) == (4, 8, 0, 1)
    assert wait.shares == {0: 12.5, 1: 25, 2: 50, 4: 100}


def test_of_several_runs_the_last_counts(picture):
    first = edited(picture, {"cores": 3}, drawn="2026-01-01T10:00:00+00:00")
    last = edited(picture, {"cores": 5}, drawn="2026-01-01T11:00:00+00:00")
    for order in ((first, last), (last, first)):
        assert {curve.kind.cores for curve in stored(notebook(*order).encode()).curves} == {5}


ROW = {"kind": "wait", "num_workers": 0, "samples_per_second": 1.0}
OTHER = {"kind": "wait", "num_workers": 1, "samples_per_second": 1.0}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"rows": [ROW, OTHER | {"samples_per_second": float("nan")}]}, "rates are impossible"),
        ({"rows": [ROW, OTHER | {"samples_per_second": float("inf")}]}, "rates are impossible"),
        ({"rows": [ROW, OTHER | {"samples_per_second": -1}]}, "rates are impossible"),
        ({"rows": [ROW, OTHER | {"samples_per_second": "9"}]}, "rates are impossible"),
        ({"rows": [ROW, OTHER | {"num_workers": 10**30}]}, "number of workers is impossible"),
        ({"rows": [ROW, OTHER | {"num_workers": True}]}, "number of workers is impossible"),
        ({"rows": [ROW]}, "too few numbers of workers"),
        ({"rows": [ROW, "OTHER"]}, "not have the form that a lesson stores"),
        ({"machine": {"cores": 1e9}}, "number of cores is impossible"),
        ({"lesson": "<b>"}, "no lesson of this course"),
        ({"benchmark": "../x"}, "has no name"),
        ({"schema": 99}, "another version"),
        ({"y": "wait_ms"}, "none of a rate against num_workers"),
    ],
)
def test_what_cannot_be_is_left_out_with_the_reason(picture, english, fields, reason):
    bad = stored(notebook(edited(picture, **fields)).encode())
    assert bad.curves == [] and len(bad.problems) == 1 and reason in bad.problems[0]
    mixed = stored(notebook(edited(picture, **fields), picture).encode())
    assert len(mixed.curves) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"{", "damaged"),
        (b"[" * 100_000, "damaged"),
        (b"\xff\xfe\x00", "damaged"),
        (b'{"cells": [1]}', "damaged"),
        (b'{"cells": 3}', "damaged"),
        (b'{"worksheets": []}', "version 4"),
        (notebook().encode(), "cleared"),
        (notebook(b"no picture").encode(), "left out"),
        (notebook(base64.b64decode("iVBORw0KGgo=")).encode(), "left out"),
        (b'{"cells":[{"cell_type":"code","outputs":[{"data":{"image/png":[1]}}]}]}', "left out"),
    ],
)
def test_a_notebook_without_a_curve_says_why(english, content, reason):
    found = stored(content)
    assert found.curves == [] and any(reason in problem for problem in found.problems)


def test_a_text_that_inflates_without_end_is_not_read(english):
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    bomb = png_metadata.KEYWORD.encode() + b"\0\0" + zlib.compress(b" " * 50_000_000, 9)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    png += chunk(b"zTXt", bomb) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    assert stored(notebook(png).encode()).curves == []


def test_the_committed_notebook_is_nobodys_measurement(root, english):
    found = stored((root / "notebooks" / "01_workers.ipynb").read_bytes())
    assert found.curves == [] and "not run since it was handed out" in found.problems[0]


@pytest.fixture
def room(tmp_path, picture) -> Path:
    """Twelve learners on three kinds of machines, one in a zip file, and others with trouble. Fixtures, plainly."""
    kinds = [("Alpha", 1), ("Beta(R) CPU @ 2 GHz", 2), ("Gamma", 12)]
    for i in range(12):
        processor, cores = kinds[i % 3]
        text = notebook(edited(picture, {"processor": processor, "cores": cores}))
        if i:
            (tmp_path / f"01_workers_learner{i}.ipynb").write_text(text)
        else:
            with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
                archive.writestr("anna/01_workers.ipynb", text)
    (tmp_path / "01_workers_broken.ipynb").write_text("{")
    (tmp_path / "01_workers_cleared.ipynb").write_text(notebook())
    return tmp_path


def test_everyone_is_in_the_table_or_named_with_the_reason(room, capsys):
    assert pooled_by(room) == 0
    said = capsys.readouterr().out
    rows = [line for line in said.splitlines() if "fork" in line or "spawn" in line]
    assert len(rows) == 12 and any(row.startswith("anna ") and "Alpha × 1" in row for row in rows)
    assert "Beta × 2" in said and "4 (× 8.0)" in said
    assert "Waiting (disk, network) · Best num_workers: 4 (× 12)." in said
    for name, reason in (("broken", "damaged"), ("cleared", "cleared")):
        at = said.index(f"01_workers_{name}.ipynb")
        assert reason in said[:at].splitlines()[-2]


def test_the_picture_has_a_row_for_each_kind_of_machine(room, monkeypatch):
    shown = {}
    monkeypatch.setattr(
        pooled.drawing, "crowds", lambda rows, marks, **words: shown.update(rows=rows, marks=marks)
    )
    found, _problems = pool.collect([room])
    pooled.picture(found["workers/sweep"])
    assert list(shown["marks"].values()) == [1, 2, 12]
    for row in shown["rows"].values():
        assert [len(crowd.curves) for crowd in row.values()] == [4, 4]
        assert row["Waiting (disk, network)"].median == {0: 12.5, 1: 25, 2: 50, 4: 100}


def test_rare_machines_share_the_last_row(picture):
    found = stored(notebook(picture).encode()).curves
    many = [
        pooled.Measurement(f"{i}", tuple(_on(curve, f"CPU {i}") for curve in found), f"{i}")
        for i in range(40)
    ]
    drawn_rows = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled.drawing, "crowds", lambda rows, marks, **words: drawn_rows.update(rows))
        pooled.picture(many)
    assert len(drawn_rows) == pooled.MOST_ROWS
    assert len(list(drawn_rows.values())[-1]["Waiting (disk, network)"].curves) == 40 - (pooled.MOST_ROWS - 1)


def _on(curve, processor):
    from dataclasses import replace

    return replace(curve, kind=replace(curve.kind, processor=processor))


def test_picture_and_page_are_written(room, capsys):
    png, html = room / "class.png", room / "class.html"
    assert pooled_by(room, "--png", str(png), "--html", str(html)) == 0
    with Image.open(png) as image:
        assert image.width == 1600 and image.height == (0.9 + 3 * 1.9) * 200
    text = html.read_text("utf-8")
    assert 'alt="Learners: 12.' in text and "<script" not in text and "damaged" in text


def test_a_hostile_name_is_only_text(tmp_path, picture, capsys):
    name = '01_workers_<img src=x>"\x1b[31m\u202e.ipynb'
    (tmp_path / name).write_text(notebook(edited(picture, {"processor": "<script>alert(1)</script>" * 50})))
    assert pooled_by(tmp_path, "--html", str(tmp_path / "page.html")) == 0
    said, page = capsys.readouterr().out, (tmp_path / "page.html").read_text("utf-8")
    assert "\x1b" not in said and "\u202e" not in said
    assert "<script" not in page and "<img src=x" not in page and "&lt;img src=x&gt;" in page


def test_the_later_of_a_learners_two_notebooks_counts(tmp_path, picture, capsys):
    for name, cores, when in (("01_workers_eve", 3, "2026-01-02"), ("01_workers_eve (1)", 5, "2026-01-01")):
        (tmp_path / f"{name}.ipynb").write_text(notebook(edited(picture, {"cores": cores}, drawn=when)))
    found, problems = pool.collect([tmp_path])
    (only,) = found["workers/sweep"]
    assert only.curves[0].kind.cores == 3
    ((where,),) = problems.values()
    assert where.endswith("(1).ipynb")


def test_a_curve_beside_other_programs_is_marked_and_left_out_of_the_median(
    tmp_path: Path, picture: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    for who, others in {"anna a": 0.1, "jan j": 1.2}.items():
        (tmp_path / "in" / who).mkdir(parents=True)
        busy = edited(picture, circumstances={"others": others}, machine={"cores": 2})
        (tmp_path / "in" / who / "01_workers.ipynb").write_text(notebook(busy))
    assert pooled_by(tmp_path / "in") == 0
    said = capsys.readouterr().out
    assert "jan j ≈" in said and "anna a ≈" not in said
    assert (
        "Learners: 1." in said
        and "other programs used cores during the measurement (≈ in the table): 1." in said
    )
    assert pooled_by(tmp_path / "in", "--keep-disturbed") == 0
    said = capsys.readouterr().out
    assert "jan j ≈" in said and "Learners: 2." in said and "left out of the picture" not in said


def test_without_any_curve_the_command_fails_and_says_what_to_do(tmp_path, capsys):
    (tmp_path / "01_workers.ipynb").write_text(notebook())
    assert pooled_by(tmp_path) == 1
    said = capsys.readouterr()
    assert "cleared" in said.out and "hand it in again" in said.err


def test_an_unknown_curve_is_answered_with_the_known_ones(room, capsys):
    assert pooled_by(room, "--curve", "workers/nothing") == 1
    assert "workers/sweep" in capsys.readouterr().err


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_groups_are_named_in_the_instructors_language(room, code, capsys):
    assert cli.main(["--language", code, "pool", str(room)]) == 0
    said = capsys.readouterr().out
    language.use("en")
    assert "Waiting (disk, network)" not in said


def test_a_group_of_one_learner_gives_no_column_to_everybody(tmp_path, picture, capsys):
    bogus = [{**row, "kind": "bogus"} if row.get("kind") == "wait" else row for row in ROWS]
    for name in ("anna", "ben", "carla"):
        (tmp_path / f"{name}.ipynb").write_text(notebook(picture))
    pooled_by(tmp_path)
    assert "bogus" not in capsys.readouterr().out
    (tmp_path / "zoe.ipynb").write_text(notebook(edited(picture, rows=[*ROWS, *bogus])))
    pooled_by(tmp_path)
    assert "bogus" not in capsys.readouterr().out


# The class's guesses.


def guessed(folder: Path, who: str, **guesses: tuple[Any, Any]) -> None:
    """A fixture, plainly: a notebook of lesson 1 in which these guesses were compared."""
    outputs = []
    for name, (guess, measured) in guesses.items():
        prediction = session.prediction(name)
        said = Comparison(prediction, guess, measured, "workers")._repr_mimebundle_()
        outputs.append({"output_type": "execute_result", "data": json.loads(json.dumps(said))})
    cells = [{"cell_type": "code", "source": "", "metadata": {}, "outputs": [output]} for output in outputs]
    (folder / who).mkdir(parents=True)
    (folder / who / "01_workers.ipynb").write_text(
        json.dumps({"cells": cells, "nbformat": 4, "metadata": {}})
    )


def test_the_guesses_of_a_class_stand_beside_what_each_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for who, waits in {"Anna A": (16, 0), "Jan J": (16, 8), "Ewa E": (1, 16)}.items():
        guessed(tmp_path / "in", who, wait=(waits, (17.0, 0.5)), seen=((5, 0), (5, 0)))
    pictures = tmp_path / "bets.png", tmp_path / "bets.html"
    words = ["--png", str(pictures[0]), "--html", str(pictures[1])]
    assert cli.main(["--language", "en", "pool", str(tmp_path / "in"), "--bets", "workers", *words]) == 0
    said = capsys.readouterr().out
    assert "Learners: 3." in said
    assert (
        "Wait for a batch (ms) · num_workers=0: guessed 16 ms, measured 17 ms, close guesses: 2 of 3." in said
    )
    assert (
        "Wait for a batch (ms) · num_workers=2: guessed 8 ms, measured 0.5 ms, close guesses: 1 of 3." in said
    )
    assert said.index("Batches in the list") < said.index("Wait for a batch")  # as the lesson asks
    assert Image.open(pictures[0]).size[0] == 1600 and "close guesses" in pictures[1].read_text("utf-8")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"lesson": "none"},
        {"lesson": "workers", "name": "none", "guess": 1, "measured": 1},
        {"lesson": "workers", "name": "wait", "guess": [1], "measured": [1, 2]},
        {"lesson": "workers", "name": "wait", "guess": ["<b>", 2], "measured": [1, 2]},
        {"lesson": "workers", "name": "wait", "guess": [-1, 2], "measured": [1, 2]},
        {"lesson": ["workers"], "name": {}, "guess": None, "measured": None},
        "text",
    ],
)
def test_what_cannot_be_a_guess_is_left_out(said: Any) -> None:
    cell = {"cell_type": "code", "outputs": [{"data": {BET: said}}]}
    assert pooled_bets.of_learner(json.dumps({"cells": [cell]}).encode()) == []


def test_what_was_measured_without_a_guess_is_no_bet() -> None:
    prediction = session.prediction("wait")
    said = Comparison(prediction, None, (1.0, 2.0), "workers")._repr_mimebundle_()
    cell = {"cell_type": "code", "outputs": [{"data": json.loads(json.dumps(said))}]}
    assert pooled_bets.of_learner(json.dumps({"cells": [cell]}).encode()) == []


def test_without_any_guess_it_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guessed(tmp_path, "Anna A")
    assert cli.main(["--language", "en", "pool", str(tmp_path), "--bets", "workers"]) == 1
    assert "Ask the learners to guess" in capsys.readouterr().err

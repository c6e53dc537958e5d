"""Cut or whole, a crop has the same pixels."""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from PIL import Image

import hostile
from loaderlab.scripts import cuts, decoders, efficient_dataloader, images
from loaderlab.scripts.augmentation import draws
from loaderlab.scripts.crops import CHANCES, Part, centre, random_resized
from loaderlab.scripts.cuts import layout
from loaderlab.scripts.decoders import View, fill, turned
from loaderlab.scripts.images import frame, stored
from loaderlab.scripts.packing import Pack, pack
from one_of_many import every

JPEGTRAN = pytest.mark.skipif(not cuts.jpegtran(), reason="jpegtran")
SAMPLINGS = {
    "4:4:4": {"subsampling": 0},
    "4:2:2": {"subsampling": 1},
    "4:2:0": {"subsampling": 2},
    "grey": {},
}


def noise(width: int, height: int, grey: bool = False) -> Image.Image:
    """Patches of colour and noise: each pixel differs from its neighbours."""
    rng = np.random.default_rng(width * height)
    patches = Image.fromarray(rng.integers(0, 256, (7, 9, 3), dtype=np.uint8)).resize((width, height), 0)
    grain = Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))
    image = Image.blend(patches, grain, 0.3)
    return image.convert("L") if grey else image


def views(width: int, height: int, count: int) -> Iterator[View | Part]:
    """Windows and parts of all sizes, in all places and in the corners, at all scales."""
    shorter = min(width, height)
    for number, chances in enumerate(draws(0, 0, np.arange(count), CHANCES).tolist()):
        size = max(1, int(shorter * (0.03, 0.1, 0.2, 0.4)[number % 4]))
        u, v = chances[:2] if number % 3 else (0.999 * round(chances[0]), 0.999 * round(chances[1]))
        yield View(size, size * (1, 2, 4, 8)[number // 4 % 4], u, v, chances[2] < 0.5)
        kind = ("bilinear", "bicubic", "lanczos")[number % 3]
        yield random_resized(width, height, size, chances, interpolation=kind)
        yield centre(width, height, size, size * 8 // 7 + 1, kind)


def assert_same(data: bytes, whole: bytes, orientation: int = 1, count: int = 12) -> None:
    """The views of a JPEG that can be cut are those of the whole one, to the last bit, with every decoder."""
    found = layout(data)
    assert found and cuts.is_cuttable(data)
    row = {"width": found.width, "height": found.height, "orientation": orientation}
    for decoder in decoders.available():
        for view in views(*decoders.upright(row), count):
            seen = np.zeros((2, view.size, view.size, 3), dtype=np.uint8)
            fill(seen[0], bytearray(data), row | {"frame": found.frame}, view, decoder)
            fill(seen[1], bytearray(whole), row | {"frame": -1}, view, decoder)
            assert np.array_equal(*seen), (decoder, view)


SIZES = [(272, 208), (239, 177), (101, 333), (640, 70)]


@pytest.mark.parametrize(
    ("sampling", "size", "blocks"), every(7, product(SAMPLINGS, SIZES, ["best", 1, 3, "a row", "two rows"]))
)
def test_a_crop_of_what_is_cut_is_that_of_the_whole(
    sampling: str, size: tuple[int, int], blocks: int | str
) -> None:
    image, options = noise(*size, sampling == "grey"), SAMPLINGS[sampling]
    whole = hostile.jpeg(image, **options)
    found = layout(whole)
    assert found
    across = found.blocks[0]
    each = {"best": cuts.markers_every(across), "a row": across, "two rows": 2 * across}.get(
        str(blocks), blocks
    )
    data = cuts.indexed(hostile.jpeg(image, restart_marker_blocks=each, **options))
    assert data
    assert_same(data, whole)
    # To others it is a JPEG like any.
    assert np.array_equal(*(np.asarray(Image.open(io.BytesIO(one))) for one in (data, whole)))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_turned_picture_is_cut_where_its_crop_lies(orientation: int) -> None:
    image = noise(239, 177)
    data = cuts.indexed(hostile.jpeg(image, restart_marker_blocks=5))
    assert data
    assert_same(data, hostile.jpeg(image), orientation)
    marked = np.zeros((20, 30), dtype=np.uint8)
    marked[3:7, 11:19] = 1
    left, top, right, bottom = turned((11, 3, 19, 7), orientation, (30, 20))
    there = decoders._turn(marked, orientation)
    assert there.sum() == there[top:bottom, left:right].sum() == (right - left) * (bottom - top)


def test_no_more_is_decoded_than_the_pieces_that_a_crop_touches() -> None:
    size = (640, 480)  # 40 × 30 blocks, ten pieces in a row
    data = cuts.indexed(hostile.jpeg(noise(*size), subsampling=2, restart_marker_blocks=4))
    assert data
    piece, filled = cuts.cut(data, frame(data), *size, (130, 70, 200, 100)) or (None, None)
    assert filled == (128, 64, 256, 112)
    assert Image.open(io.BytesIO(piece)).size == (128, 48) and len(piece) < len(data) / 10
    assert bytes(piece[-2:]) == b"\xff\xd9"  # the end of an image, though decoders forgive its absence
    _piece, filled = cuts.cut(data, frame(data), *size, (639, 479, 640, 480)) or (None, None)
    assert filled == (576, 464, 640, 480)


@pytest.mark.parametrize(
    ("blocks", "best"), [(32, 4), (31, 1), (7, 7), (30, 5), (24, 4), (1, 1), (6, 3), (46, 2)]
)
def test_a_marker_stands_at_the_beginning_of_each_row(blocks: int, best: int) -> None:
    assert cuts.markers_every(blocks) == best


def test_what_cannot_be_cut_is_left_as_it_is() -> None:
    image = noise(320, 240)
    marked = hostile.jpeg(image, restart_marker_blocks=4)
    codes = layout(marked).codes  # type: ignore[union-attr]
    third = marked.index(b"\xff\xd2", codes)
    for data in (
        hostile.jpeg(image),
        hostile.jpeg(image, progressive=True, restart_marker_blocks=4),
        hostile.jpeg(image, restart_marker_blocks=5000),
        hostile.jpeg(noise(16, 16), restart_marker_blocks=1, subsampling=2),
        marked[:third] + b"\xff\xd5" + marked[third + 2 :],  # a marker that is not the next one
        marked[:-2],
        marked[: codes + 400],
        b"",
        b"a text",
    ):
        assert cuts.indexed(data) is None


@pytest.mark.parametrize("suffix", ["png", "jpg"])
def test_pictures_that_are_encoded_again_can_be_cut_without_jpegtran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(cuts, "jpegtran", lambda: None)
    file = tmp_path / f"a.{suffix}"
    noise(300, 200).save(file)
    assert cuts.is_cuttable(stored(file).data) == (suffix == "png")
    assert cuts.is_cuttable(stored(file, 128).data)


@pytest.mark.skipif(os.name == "nt", reason="programs in sh")
def test_a_jpegtran_that_fails_hangs_or_is_no_program_leaves_the_picture_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise(300, 200).save(tmp_path / "a.jpg")
    noise(300, 200).save(tmp_path / "other.jpg", restart_marker_blocks=1)
    program = tmp_path / "jpegtran"
    monkeypatch.setattr(cuts, "jpegtran", lambda: str(program))
    monkeypatch.setattr(cuts, "SECONDS", 0.2)
    for text in (
        f"#!/bin/sh\ncat '{tmp_path}/other.jpg'\nexit 2\n",
        "#!/bin/sh\nexec sleep 60\n",
        "no program",
        "#!/bin/sh\necho nothing\n",
    ):
        program.write_text(text)
        program.chmod(0o755)
        assert stored(tmp_path / "a.jpg").data == (tmp_path / "a.jpg").read_bytes()


@JPEGTRAN
@pytest.mark.parametrize(
    ("sampling", "size", "progressive"),
    every(5, product([*SAMPLINGS, "4:4:0", "4:1:1"], [(272, 208), (239, 177), (500, 375)], [False, True])),
)
def test_jpegtran_makes_a_jpeg_cuttable_and_changes_no_pixel(
    sampling: str, size: tuple[int, int], progressive: bool
) -> None:
    image = noise(*size, sampling == "grey")
    if sampling in SAMPLINGS:
        whole = hostile.jpeg(image, progressive=progressive, **SAMPLINGS[sampling])
    elif progressive:
        pytest.skip("nothing here writes it")
    else:
        encoder = pytest.importorskip("simplejpeg")
        whole = encoder.encode_jpeg(np.asarray(image), 90, colorsubsampling=sampling.replace(":", ""))
    data = cuts.cuttable(whole)
    assert data
    assert_same(data, whole)


def photographs() -> list[Path]:
    """Photographs that packages bring along: one that the tests need anyway, and more where these are installed."""
    found = [Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg"]
    for package, folder in (("skimage", "data"), ("sklearn", "datasets/images")):
        if spec := importlib.util.find_spec(package):
            place = Path(str(spec.origin)).parent / folder
            found += sorted(path for path in place.iterdir() if path.suffix in (".jpg", ".png"))
    return found


@pytest.mark.parametrize("path", photographs(), ids=lambda path: path.name)
@pytest.mark.parametrize("shorter", [None, 256])
def test_photographs_can_be_cut(path: Path, shorter: int | None) -> None:
    kept = stored(path, shorter)
    if not cuts.is_cuttable(kept.data):
        assert not cuts.jpegtran() or min(kept.width, kept.height) <= 16
        pytest.skip("only jpegtran makes it cuttable")
    data, kind, mode, size, _orientation = (path.read_bytes(), *images._decoded(path.read_bytes())[1:])
    as_it_was = kind == "JPEG" and mode in ("RGB", "L") and size == (kept.width, kept.height)
    assert_same(kept.data, data if as_it_was else kept.data, kept.orientation)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[cuts.Box]:
    """The boxes that were cut out in this process."""
    found: list[cuts.Box] = []

    def cut(*arguments: Any) -> Any:
        came = cuts.cut(*arguments)
        if came:
            found.append(came[1])
        return came

    monkeypatch.setattr(decoders, "cut", cut)
    return found


def folder(place: Path, count: int = 10) -> Path:
    """PNG files: they have to be encoded, and so can be cut everywhere."""
    place.mkdir()
    for number in range(count):
        noise(400 + number, 160).save(place / f"{number}.png")
    return place


def test_the_loaders_cut_and_say_how_many_they_cannot_cut(
    tmp_path: Path,
    counted: list[cuts.Box],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    place = folder(tmp_path / "images")
    monkeypatch.setattr(cuts, "jpegtran", lambda: None)
    noise(400, 160).save(place / "z.jpg")
    noise(400, 160).save(place / "y.jpg", progressive=True)
    pack(place, tmp_path / "p")
    assert Pack(tmp_path / "p").whole == 2
    for options in ({"scale": (0.08, 0.5)}, {}, {"shuffle": False, "augment": False}):
        list(efficient_dataloader.loader(tmp_path / "p", 4, size=48, workers=0, **options))
        assert len(counted) == 10
        assert all((right - left) * (bottom - top) < 400 * 160 for left, top, right, bottom in counted)
        counted.clear()
    arguments = ["--folder", str(place), "--pack", str(tmp_path / "p"), "--epochs", "0", "--workers", "0"]
    assert efficient_dataloader.main(arguments) == 0
    assert "cannot be cut: 2. " in capfd.readouterr().out


def test_shards_are_cut_too(tmp_path: Path, counted: list[cuts.Box]) -> None:
    pytest.importorskip("webdataset")
    from loaderlab.scripts import shards, webdataset_loader

    shards.write(folder(tmp_path / "images"), tmp_path / "shards", 2)
    list(webdataset_loader.loader(tmp_path / "shards", 4, size=48, workers=0))
    assert len(counted) == 10


def test_a_file_that_was_packed_before_pictures_were_cut_is_read(
    tmp_path: Path, counted: list[cuts.Box], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder(tmp_path / "images")
    pack(place, tmp_path / "new")
    monkeypatch.setattr(images, "cuttable", lambda data: None)
    pack(place, tmp_path / "old")
    (tmp_path / "old").write_bytes((tmp_path / "old").read_bytes().replace(b'"whole"', b'"older"'))
    assert Pack(tmp_path / "old").whole == 10 and Pack(tmp_path / "new").whole == 0
    (old,), (new,) = (
        list(efficient_dataloader.loader(tmp_path / name, 10, size=48, workers=0, scale=(0.08, 1)))
        for name in ("old", "new")
    )
    assert torch.equal(old[0], new[0]) and len(counted) == 10


@pytest.mark.parametrize("decoder", decoders.available())
def test_an_index_that_was_damaged_is_an_image_error_or_leaves_other_pixels_but_ends(decoder: str) -> None:
    data = cuts.indexed(hostile.jpeg(noise(200, 160), restart_marker_blocks=1))
    assert data
    row = {"width": 200, "height": 160, "orientation": 1, "frame": frame(data)}
    rng, errors = np.random.default_rng(0), 0
    for _turn in range(60):
        damaged = bytearray(data)
        for at in rng.integers(1, 600, 6):
            damaged[-at] = rng.integers(256)
        try:
            fill(np.zeros((48, 48, 3), dtype=np.uint8), damaged, row, View(48, 96, 0.4, 0.6), decoder)
        except images.ImageError:
            errors += 1
    assert errors

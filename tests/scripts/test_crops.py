"""The parts of a picture that are seen are torchvision's."""

from __future__ import annotations

import io
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image, ImageOps

import hostile
from loaderlab.scripts import decoders, efficient_dataloader, images, webdataset_loader
from loaderlab.scripts.augmentation import draws
from loaderlab.scripts.crops import CHANCES, Part, centre, random_resized
from loaderlab.scripts.decoders import fill
from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.packing import pack

SIZES = [(500, 375), (333, 511), (300, 200), (900, 257), (50, 40), (1, 1), (1400, 1100)]


def smooth(width: int, height: int, **options: object) -> bytes:
    coarse = Image.fromarray(np.random.default_rng(0).integers(0, 256, (9, 12, 3), dtype=np.uint8))
    return hostile.jpeg(coarse.resize((width, height), Image.Resampling.BICUBIC), **options)


def seen(data: bytes, part: Part, decoder: str = "pillow", frame: int | None = None) -> np.ndarray:
    """The part, as the recipe decodes it."""
    image = Image.open(io.BytesIO(data))
    row = {"width": image.width, "height": image.height, "orientation": image.getexif().get(0x0112, 1)}
    row["frame"] = images.frame(data) if frame is None else frame
    out = np.zeros((part.size, part.size, 3), dtype=np.uint8)
    fill(out, bytearray(data), row, part, decoder)
    return out


def resized_and_cut(data: bytes, shorter: int, size: int) -> np.ndarray:
    """What torchvision's Resize and CenterCrop do with an image of Pillow's."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    scale = shorter / min(image.size)
    image = image.resize(
        tuple(shorter if side == min(image.size) else int(side * scale + 1e-9) for side in image.size),
        Image.Resampling.BILINEAR,
    )
    left, top = (round((side - size) / 2) for side in image.size)
    return np.asarray(image.crop((left, top, left + size, top + size)))


def difference(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.abs(one.astype(int) - other.astype(int))


@pytest.mark.parametrize("decoder", decoders.available())
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("orientation", [1, 6, 2])
def test_an_evaluation_sees_what_resize_and_center_crop_show(
    decoder: str, size: tuple[int, int], orientation: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = smooth(*size, exif=exif)
    shown = size if orientation < 5 else size[::-1]
    found = difference(seen(data, centre(*shown, 224, 256), decoder), resized_and_cut(data, 256, 224))
    # Where the picture is decoded smaller, or by another decoder, values differ a little.
    assert found.mean() < 1.5
    if decoder == "pillow" and min(size) < 512:
        assert found.max() <= 1


def test_the_loader_shows_the_middle_seven_eighths_in_an_evaluation(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    # Noise, so that each neighbour counts.
    noise = np.random.default_rng(0).integers(0, 256, (375, 500, 3), dtype=np.uint8)
    data = hostile.jpeg(Image.fromarray(noise))
    (tmp_path / "images" / "a.jpg").write_bytes(data)
    pack(tmp_path / "images", tmp_path / "p")
    ((batch, _labels),) = loader(tmp_path / "p", 1, workers=0, decoder="pillow", shuffle=False, augment=False)
    assert difference(batch[0].permute(1, 2, 0).numpy(), resized_and_cut(data, 256, 224)).max() <= 1


def test_a_part_is_what_pillow_cuts_and_resizes() -> None:
    data = smooth(500, 375)
    for chances in draws(0, 1, np.arange(20), CHANCES).tolist():
        part = random_resized(500, 375, 224, chances, interpolation="bicubic")
        box = (part.left, part.top, part.left + part.width, part.top + part.height)
        image = Image.open(io.BytesIO(data)).crop(box).resize((224, 224), Image.Resampling.BICUBIC)
        image = ImageOps.mirror(image) if part.mirrored else image
        assert np.array_equal(seen(data, part), np.asarray(image)), part


@pytest.mark.skipif("simplejpeg" not in decoders.available(), reason="no simplejpeg here")
@pytest.mark.skipif(not decoders.VECTORISED, reason="torch has no fast code for bytes here")
def test_torch_resizes_as_pillow_does(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (375, 500, 3), dtype=np.uint8)
    data = hostile.jpeg(Image.fromarray(noise))
    drawn = draws(0, 2, np.arange(12), CHANCES).tolist()
    parts = [random_resized(500, 375, 224, chances) for chances in drawn]
    used = []
    resized = decoders._resized
    monkeypatch.setattr(decoders, "_resized", lambda *arguments: used.append(1) or resized(*arguments))
    fast = [seen(data, part, "simplejpeg") for part in parts]
    assert len(used) == len(parts) == 12
    monkeypatch.setattr(decoders, "VECTORISED", False)
    for part, found in zip(parts, fast, strict=True):
        assert difference(found, seen(data, part, "simplejpeg")).max() <= 1, part


@pytest.mark.parametrize("size", [(500, 375), (300, 900), (2000, 100), (3, 2), (1, 1)])
def test_random_parts_have_the_areas_and_shapes_that_were_asked_for(size: tuple[int, int]) -> None:
    parts = [
        random_resized(*size, 224, chances) for chances in draws(0, 0, np.arange(4000), CHANCES).tolist()
    ]
    for part in parts:
        assert 0 <= part.left <= size[0] - part.width and 0 <= part.top <= size[1] - part.height
    assert abs(np.mean([part.mirrored for part in parts]) - 0.5) < 0.05
    if size == (500, 375):
        areas = np.array([part.width * part.height for part in parts]) / (500 * 375)
        shapes = np.log([part.width / part.height for part in parts])
        assert 0.075 < areas.min() < 0.1 and 0.95 < areas.max() <= 1
        assert abs(shapes).max() < math.log(4 / 3) + 0.02 and shapes.min() < -0.25 and shapes.max() > 0.25
        middles = np.array([part.left / max(1, 500 - part.width) for part in parts])
        assert abs(middles.mean() - 0.5) < 0.03
    if size == (2000, 100):  # nothing of that area and shape fits: the middle
        assert {(part.left, part.width, part.height) for part in parts} >= {(933, 133, 100)}


def test_boxes_are_distributed_like_torchvisions() -> None:
    transforms = pytest.importorskip("torchvision.transforms")
    import torch

    image = torch.empty(3, 375, 500)
    theirs = np.array(
        [
            transforms.RandomResizedCrop.get_params(image, [0.08, 1], [3 / 4, 4 / 3])[::-1]
            for _draw in range(8000)
        ]
    )
    ours = [random_resized(500, 375, 224, c) for c in draws(0, 0, np.arange(8000), CHANCES).tolist()]
    mine = np.array([(part.width, part.height, part.left, part.top) for part in ours])
    for column in range(4):
        deciles = [np.quantile(boxes[:, column], np.linspace(0.1, 0.9, 9)) for boxes in (theirs, mine)]
        assert np.abs(deciles[0] - deciles[1]).max() < 15


def test_a_crop_that_cannot_be_is_refused_and_not_blamed_on_the_images(tmp_path: Path) -> None:
    images.synthetic(tmp_path / "images", 4, 120, 100)
    pack(tmp_path / "images", tmp_path / "p")
    with pytest.raises(ValueError, match="fewer than those of the crop"):
        loader(tmp_path / "p", 4, size=64, least=60, shuffle=False, augment=False)
    with pytest.raises(ValueError, match="bilinear, hamming, bicubic"):
        loader(tmp_path / "p", 4, size=64, interpolation="cubic")


@pytest.mark.parametrize("script", [efficient_dataloader, webdataset_loader])
def test_random_resized_crops_can_be_had_in_a_shell(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked, loading = [], script.loader
    strict = []
    monkeypatch.setattr(
        script,
        "loader",
        lambda *a, **k: strict.append(k["strict"]) or asked.append(k["scale"]) or loading(*a, **k),
    )
    small = ["--samples", "12", "--epochs", "1", "--batch-size", "4", "--workers", "0", "--size", "32"]
    for scale in ([], ["--scale", "0.08", "1"]):
        assert script.main([*small, *scale]) == 0
    assert asked == [None, (0.08, 1)]
    assert script.main([*small, "--strict"]) == 0
    assert strict == [False, False, True]
    assert script.main([*small, "--scale", "1", "0.08"]) == 1
    assert "`--scale 1 0.08`: give two shares" in capfd.readouterr().err
    with pytest.raises(SystemExit):  # before anything is packed
        script.main([*small, "--workers", "two"])
    assert "'two'" in capfd.readouterr().err


@pytest.mark.parametrize("decoder", decoders.available())
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("size", [(1, 40), (40, 1), (1, 1)])
def test_a_picture_of_one_pixels_width_is_seen_however_it_is_turned(
    decoder: str, orientation: int, size: tuple[int, int]
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = smooth(*size, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    part = Part(0, 0, *upright.size, 16)
    expected = upright.convert("RGB").resize((16, 16), Image.Resampling.BILINEAR)
    assert difference(seen(data, part, decoder), np.asarray(expected)).max() <= 2

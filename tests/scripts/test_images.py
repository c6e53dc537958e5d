"""What the scripts make of the images that one meets."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hostile
from loaderlab.scripts import decoders, images
from loaderlab.scripts.augmentation import draws
from loaderlab.scripts.crops import CHANCES, random_resized
from loaderlab.scripts.decoders import View, fill

DECODERS = [
    "pillow",
    pytest.param(
        "simplejpeg", marks=pytest.mark.skipif("simplejpeg" not in decoders.available(), reason="simplejpeg")
    ),
]


def close(pixel: np.ndarray, colour: tuple[int, int, int], by: int = 12) -> bool:
    return bool((np.abs(np.asarray(pixel, dtype=int) - colour) <= by).all())


def row(kept: images.Stored) -> dict[str, int]:
    return {"width": kept.width, "height": kept.height, "orientation": kept.orientation, "frame": kept.frame}


def test_each_bad_file_is_named_with_its_path_and_a_reason_and_no_good_one_is(tmp_path: Path) -> None:
    found = images.find(hostile.folder(tmp_path / "photos of mine"))
    problems = {problem.path.name: problem.why for problem in found.problems}
    for path, _label in found.images:
        try:
            images.stored(path)
        except images.ImageError as error:
            problems[path.name] = str(error)
    assert set(problems) == hostile.BAD and all(problems.values())
    assert "truncated" in problems["cut.jpg"]
    assert found.classes == ["first class", "second"]
    assert len(found.images) - 3 == hostile.GOOD  # three of them look like images by name


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_kind_of_image_is_seen_upright_in_rgb(tmp_path: Path, decoder: str) -> None:
    for path, _label in images.find(hostile.folder(tmp_path / "x")).images:
        if path.name in hostile.BAD:
            continue
        kept = images.stored(path)
        out = np.zeros((224, 224, 3), dtype=np.uint8)
        fill(out, bytearray(kept.data), row(kept), View(224, 256), decoder)
        corners = out[8, 8], out[8, -8], out[-8, 8]
        colours = (hostile.RED, hostile.GREEN, hostile.BLUE)
        if path.name in ("grey.jpg", "sixteen bits.png"):
            colours = tuple((Image.new("RGB", (1, 1), c).convert("L").getpixel((0, 0)),) * 3 for c in colours)
        if path.name == "large.jpg":  # 1400 × 1100 at a quarter: the crop in its middle
            assert min(kept.width, kept.height) // 4 >= 256
        by = 40 if path.name in ("cmyk.jpg", "palette.png") else 12
        for pixel, colour in zip(corners, colours, strict=True):
            assert close(pixel, colour, by), (path.name, pixel, colour)


def test_transparent_places_are_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (4, 4), (255, 0, 0, 0))
    image.save(tmp_path / "a.png")
    assert close(np.asarray(images.read(tmp_path / "a.png"))[0, 0], (255, 255, 255), 0)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("size", [(500, 375), (1100, 613), (333, 257)])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("grey", [False, True])
def test_rows_that_are_not_decoded_change_no_pixel_of_the_crop(
    decoder: str, size: tuple[int, int], subsampling: int, grey: bool
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    image = Image.fromarray(noise)
    data = hostile.jpeg(
        image.convert("L") if grey else image, **({} if grey else {"subsampling": subsampling})
    )
    at = images.frame(data)
    assert int.from_bytes(data[at : at + 2], "big") == size[1]
    about = {"width": size[0], "height": size[1], "orientation": 1}
    views = [View(224, 256, 0.3, v, mirrored=v > 0.3) for v in (0.0, 0.02, 0.4, 0.999)]
    chances = draws(0, 0, np.arange(8), CHANCES).tolist()
    for view in [*views, *(random_resized(*size, 64, drawn) for drawn in chances)]:
        whole, part = np.zeros((2, view.size, view.size, 3), dtype=np.uint8)
        fill(whole, bytearray(data), about | {"frame": -1}, view, decoder)
        fill(part, bytearray(data), about | {"frame": at}, view, decoder)
        assert np.array_equal(whole, part)


def test_both_decoders_see_the_same_part() -> None:
    if "simplejpeg" not in decoders.available():
        pytest.skip("simplejpeg")
    smooth = Image.fromarray(np.random.default_rng(0).integers(0, 256, (9, 12, 3), dtype=np.uint8))
    for size in ((500, 375), (1203, 901), (2600, 2111)):
        data = hostile.jpeg(smooth.resize(size, Image.Resampling.BICUBIC))
        about = {"width": size[0], "height": size[1], "orientation": 1, "frame": images.frame(data)}
        seen = np.zeros((2, 224, 224, 3), dtype=np.uint8)
        for out, decoder in zip(seen, ("pillow", "simplejpeg"), strict=True):
            fill(out, bytearray(data), about, View(224, 256, 0.9, 0.2, True), decoder)
        assert np.abs(seen[0].astype(int) - seen[1]).mean() < 2


def test_the_eight_orientations_are_those_of_pillow() -> None:
    picture = hostile.four(300, 260)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        data = hostile.jpeg(picture, exif=exif)
        upright = np.asarray(images.rgb(Image.open(io.BytesIO(data))))
        turned = decoders._turn(np.asarray(Image.open(io.BytesIO(data))), orientation)
        assert np.array_equal(upright, turned), orientation


def test_a_progressive_jpeg_has_no_rows_to_leave_out() -> None:
    assert images.frame(hostile.jpeg(hostile.four(), progressive=True)) == -1
    assert images.frame(hostile.jpeg(hostile.four())) > 0
    assert images.frame(b"") == images.frame(b"\xff\xd8\xff\xda\0\1") == -1


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(images.ImageError, match="nowhere at all: there is no such folder"):
        images.find(tmp_path / "nowhere at all")
    (tmp_path / "file").write_text("x")
    with pytest.raises(images.ImageError, match="this is a file"):
        images.find(tmp_path / "file")


def classes(place: Path, names: str) -> Path:
    for name in names:
        (place / name).mkdir(parents=True)
        Image.new("RGB", (40, 40)).save(place / name / "a.jpg")
    return place


def test_an_image_beside_the_class_folders_is_named_and_shifts_no_label(tmp_path: Path) -> None:
    before = images.find(classes(tmp_path / "train", "abc"))
    Image.new("RGB", (40, 40)).save(tmp_path / "train" / "cover.jpg")
    found = images.find(tmp_path / "train")
    assert found.classes == ["a", "b", "c"] and found.images == before.images
    assert [problem.path.name for problem in found.problems] == ["cover.jpg"]
    flat = tmp_path / "train" / "a"
    assert [path.name for path, _label in images.find(flat).images] == ["a.jpg"]  # one class, without folders


def test_a_validation_folder_has_the_numbers_of_the_trainings_classes(tmp_path: Path) -> None:
    training = images.find(classes(tmp_path / "train", "abc"))
    validation = images.find(classes(tmp_path / "val", "ca")).mapped(training.classes)
    assert validation.classes == ["a", "b", "c"]
    assert [(path.parent.name, label) for path, label in validation.images] == [("a", 0), ("c", 2)]
    with pytest.raises(images.ImageError, match=r"no class of the training: d, e\. Its classes: a, b, c"):
        images.find(classes(tmp_path / "other", "ade")).mapped(training.classes)

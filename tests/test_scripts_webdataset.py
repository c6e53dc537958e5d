"""Shards: every sample in every epoch, ranks in step, and what is left out has a name."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import hostile
import pytest
import torch
from PIL import Image

pytest.importorskip("webdataset")

from loaderlab.scripts.images import ImageError, synthetic
from loaderlab.scripts.shards import look, write
from loaderlab.scripts.webdataset_loader import loader, main

COUNT = 61


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images whose colour is their number, in six shards."""
    place = tmp_path_factory.mktemp("numbered images")
    for number in range(COUNT):
        folder = place / "images" / str(number % 3)
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (90, 80), (4 * number, 128, 0)).save(folder / f"{number:03d}.jpg", quality=95)
    assert write(place / "images", place / "shards", 6) == []
    return place / "shards"


def numbers(images: torch.Tensor) -> list[int]:
    return [round(value / 4) for value in images[:, 0, 16, 16].tolist()]


def test_shards_are_balanced_shuffled_and_the_same_each_time(shards: Path, tmp_path: Path) -> None:
    found = look(shards)
    assert sorted(set(found.samples)) == [10, 11] and sum(found.samples) == COUNT
    write(shards.parent / "images", tmp_path / "again", 6)
    for name in found.names:
        assert (shards / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    with tarfile.open(shards / found.names[0]) as archive:
        assert {member.mtime for member in archive} == {0}


@pytest.mark.parametrize("workers, method", [(0, None), (1, "spawn"), (2, None), (2, "spawn")])
def test_each_sample_comes_once_in_each_epoch_in_a_new_order(
    shards: Path, workers: int, method: str | None
) -> None:
    batches = loader(shards, 8, size=32, workers=workers, buffer=16, rank=0, ranks=1, start_method=method)
    epochs = []
    for _epoch in range(3):
        length = len(batches)
        epochs.append([numbers(images) for images, labels in batches if labels.dtype == torch.int64])
        assert len(epochs[-1]) == length and sorted(sum(epochs[-1], [])) == list(range(COUNT))
        assert batches.repeated == 0
    assert len(set(map(str, epochs))) == 3
    batches.set_epoch(1)
    assert [numbers(images) for images, _labels in batches] == epochs[1]


@pytest.mark.parametrize("ranks", [2, 4, 6])
def test_ranks_have_as_many_steps_and_see_all(shards: Path, ranks: int) -> None:
    parts = [loader(shards, 4, size=32, workers=0, rank=rank, ranks=ranks) for rank in range(ranks)]
    first = None
    for _epoch in range(2):
        came = [[numbers(images) for images, _labels in part] for part in parts]
        assert len({len(part) for part in came}) == 1
        assert {n for part in came for batch in part for n in batch} == set(range(COUNT))
        if ranks == 4:
            assert sum(part.repeated for part in parts) > 0
        first, before = set(sum(came[0], [])), first
    assert first != before  # a rank does not see the same shards for ever
    with pytest.raises(ImageError, match="Shards: 6, ranks: 7"):
        loader(shards, 4, rank=0, ranks=7)


def test_bad_files_are_named_when_shards_are_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = hostile.folder(tmp_path / "photos")
    arguments = ["--folder", str(folder), "--shards", str(tmp_path / "s"), "--count", "3", "--epochs", "1"]
    assert main(arguments) == 0
    captured = capfd.readouterr()
    assert f"images: {hostile.GOOD};" in captured.out
    for name in hostile.BAD - ({"nowhere.jpg"} if os.name == "nt" else set()):
        assert any(name in line and str(folder) in line for line in captured.err.splitlines())
    assert main(arguments) == 0  # used again
    (folder / "first class" / "grey.jpg").unlink()
    assert main(arguments) == 1
    assert "another state" in capfd.readouterr().err
    assert main(["--folder", str(folder), "--strict"]) == 1
    assert main(["--folder", str(tmp_path / "nowhere")]) == 1
    assert main(["--folder", str(folder / "hollow")]) == 1
    assert "hollow: no readable image" in capfd.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["photos", "s"]


@pytest.mark.parametrize("workers", [0, 2])
def test_an_image_that_is_damaged_later_is_named_and_counted(
    tmp_path: Path, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    write(synthetic(tmp_path / "images", 12, 60, 50), tmp_path / "s", 2)
    path = tmp_path / "s" / "shard-000001.tar"
    with tarfile.open(path) as archive:
        member = next(member for member in archive if member.name.endswith(".jpg"))
    with open(path, "r+b") as file:
        file.seek(member.offset_data)
        file.write(bytes(300))
    batches = loader(tmp_path / "s", 4, size=32, workers=workers, rank=0, ranks=1)
    assert sum(len(labels) for _images, labels in batches) >= 11 and batches.left_out >= 1
    said = capfd.readouterr().err
    assert str(path) in said and ".jpg" in said
    with pytest.raises(ImageError, match="shard-000001"):
        list(loader(tmp_path / "s", 4, size=32, workers=0, rank=0, ranks=1, strict=True))


def test_a_shard_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    write(synthetic(tmp_path / "images", 4, 60, 50), tmp_path / "s", 2)
    path = tmp_path / "s" / "shard-000001.tar"
    path.write_bytes(path.read_bytes()[:-512])
    with pytest.raises(ImageError, match=r"shard-000001\.tar.*Write the shards again"):
        loader(tmp_path / "s")
    with pytest.raises(ImageError, match="no shards"):
        loader(tmp_path / "images")
    with pytest.raises(ImageError, match="fewer than shards"):
        write(tmp_path / "images", tmp_path / "t", 5)

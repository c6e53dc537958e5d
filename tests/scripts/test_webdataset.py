"""Shards: every sample in every epoch, ranks in step, and what is left out has a name."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest
import torch

import hostile

pytest.importorskip("webdataset")

from loaderlab.i18n import language
from loaderlab.scripts import decoders, efficient_dataloader
from loaderlab.scripts.images import Found, ImageError, synthetic
from loaderlab.scripts.packing import Pack, pack
from loaderlab.scripts.shards import check_folder, look, write
from loaderlab.scripts.webdataset_loader import ShardLoader, loader, main
from numbered import numbered, numbers
from processes import python

COUNT = 61


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images whose colour is their number, in six shards."""
    place = tmp_path_factory.mktemp("numbered images")
    assert write(numbered(place / "images", COUNT), place / "shards", 6) == []
    return place / "shards"


def test_shards_are_balanced_shuffled_and_the_same_each_time(shards: Path, tmp_path: Path) -> None:
    found = look(shards)
    assert sorted(set(found.samples)) == [10, 11] and sum(found.samples) == COUNT
    write(shards.parent / "images", tmp_path / "again", 6)
    for name in found.names:
        assert (shards / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    with tarfile.open(shards / found.names[0]) as archive:
        assert {member.mtime for member in archive} == {0}


@pytest.mark.parametrize(
    ("workers", "method"),
    [(0, None), (1, "spawn"), (2, None), pytest.param(2, "spawn", marks=pytest.mark.long)],
)
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


def sizes(batches: ShardLoader) -> list[int]:
    return [len(labels) for _images, labels in batches]


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(4, marks=pytest.mark.long)])
def test_ranks_whose_hosts_have_other_numbers_of_cores_stay_in_step(shards: Path, ranks: int) -> None:
    for batch_size in (3, 4, 7):
        came = {
            (rank, workers): sizes(
                loader(shards, batch_size, size=32, workers=workers, rank=rank, ranks=ranks, shuffle=False)
            )
            for rank in range(ranks)
            for workers in (0, 2)
        }
        # As many batches, all of them whole but the last one, which is as large on every rank.
        assert len(set(map(tuple, came.values()))) == 1, came
        assert set(came[0, 0][:-1]) == {batch_size}


def test_what_the_workers_lack_at_their_ends_is_put_together(shards: Path) -> None:
    batches = loader(shards, 16, size=32, workers=3)
    for images, _labels in batches:
        assert images.is_contiguous(memory_format=torch.channels_last)
    assert sizes(batches) == [16, 16, 16, 13] and batches.repeated == 0
    assert sizes(loader(shards, 16, size=32, workers=3, drop_last=True)) == [16, 16, 16]


def test_a_rank_with_fewer_samples_gives_some_again_and_says_how_many(shards: Path) -> None:
    for uneven, due in (("pad", 21), ("drop", 20)):
        parts = [
            loader(shards, 8, size=32, workers=0, rank=rank, ranks=3, shuffle=False, uneven=uneven)
            for rank in range(3)
        ]
        assert [sum(sizes(part)) for part in parts] == [due] * 3
        assert [part.repeated for part in parts] == ([0, 1, 1] if uneven == "pad" else [0, 0, 0])


@pytest.mark.parametrize("ranks", [1, 4, 8])
def test_in_an_evaluation_every_sample_comes_once_on_any_number_of_ranks(shards: Path, ranks: int) -> None:
    parts = [
        loader(shards, 8, size=32, workers=0, shuffle=False, augment=False, rank=rank, ranks=ranks)
        for rank in range(ranks)
    ]
    for _epoch in range(2):
        came = [n for part in parts for images, _labels in part for n in numbers(images)]
        assert sorted(came) == list(range(COUNT))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_look_at_one_batch_does_not_move_the_epoch(shards: Path, workers: int) -> None:
    looked, other = (loader(shards, 8, size=32, workers=workers) for _rank in range(2))
    next(iter(looked))
    for _epoch in range(2):
        assert [numbers(i) for i, _l in looked] == [numbers(i) for i, _l in other]


def test_a_look_within_a_loop_takes_nothing_from_it_in_silence(shards: Path) -> None:
    apart = loader(shards, 8, size=32, workers=0)  # without workers, loops do not disturb each other
    came = []
    for step, (images, _labels) in enumerate(apart):
        came += numbers(images)
        if step == 1:
            next(iter(apart))
    assert sorted(came) == list(range(COUNT))
    together, came = loader(shards, 8, size=32, workers=2), []
    with pytest.raises(RuntimeError, match="Another loop over this loader has begun"):
        for step, (images, _labels) in enumerate(together):
            came += numbers(images)
            if step == 1:
                next(iter(together))
    assert len(came) == len(set(came)) == 16  # none twice
    assert sorted(n for images, _labels in together for n in numbers(images)) == list(range(COUNT))


def test_fewer_workers_than_asked_for_are_said_once_by_the_first_rank(
    shards: Path, recwarn: pytest.WarningsRecorder
) -> None:
    for rank in (1, 0):
        made = loader(shards, 8, workers=5, rank=rank, ranks=2)
        assert made.workers == 3
    said = [str(warning.message) for warning in recwarn if "shards" in str(warning.message)]
    assert len(said) == 1
    assert "Shards: 6, ranks: 2. Workers of each rank: 3 instead of 5" in said[0]
    assert "a multiple of 10." in said[0] and recwarn.list[-1].filename == __file__
    recwarn.clear()
    loader(shards, 8, workers=3, rank=0, ranks=2)
    loader(shards, 8, workers=0, rank=0, ranks=2)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("uneven", "said"),
    [("pad", "38 % of the samples come twice"), ("drop", "34 % of the samples are left out"), ("once", None)],
)
def test_many_samples_that_come_twice_or_never_are_said_beforehand(
    shards: Path, uneven: str, said: str | None, recwarn: pytest.WarningsRecorder
) -> None:
    # Six shards for four ranks: two have two of them, 20 or 21 images, and two have one.
    for rank in range(4):
        loader(shards, 8, workers=0, rank=rank, ranks=4, uneven=uneven, shuffle=False)
    found = [str(warning.message) for warning in recwarn]
    assert len(found) == (said is not None)
    assert all(said in one and "multiple of 4." in one for one in found)
    loader(shards, 8, workers=0, rank=0, ranks=6, uneven=uneven, shuffle=False)
    assert len(recwarn) == len(found)  # 11 and 10 images: no other number of shards would mend that


def test_there_are_shards_for_many_workers_if_nothing_else_is_asked_for(tmp_path: Path) -> None:
    write(synthetic(tmp_path / "few", 9, 40, 30), tmp_path / "s9")
    write(synthetic(tmp_path / "many", 70, 40, 30), tmp_path / "s70")
    assert [len(look(tmp_path / name).names) for name in ("s9", "s70")] == [9, 64]


@pytest.mark.skipif(sys.platform == "win32", reason="resource")
def test_more_shards_are_written_than_files_may_be_open(tmp_path: Path) -> None:
    synthetic(tmp_path / "images", 80, 40, 30)
    code = (
        "import resource, sys\n"
        "from loaderlab.scripts.shards import look, write\n"
        "import torch, webdataset\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\n"
        "write('images', 'shards', 70)\n"
        "print(len(look('shards').names))"
    )
    ran = python(code, tmp_path)
    assert ran.stdout == "70\n", ran.stderr


def test_shards_for_validation_have_the_numbers_of_the_trainings_classes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = synthetic(tmp_path / "images", 4, 40, 30, classes=1)
    write(folder, tmp_path / "s", 2, classes=["class", "class 0"])
    assert [labels.tolist() for _images, labels in loader(tmp_path / "s", 8, size=32, workers=0)] == [[1] * 4]
    options = ["--folder", str(folder), "--epochs", "0", "--count", "2", "--classes", str(tmp_path / "s")]
    assert main([*options, "--shards", str(tmp_path / "t")]) == 0
    assert look(tmp_path / "t").classes == ["class", "class 0"]
    write(folder, tmp_path / "u", 2)
    assert main([*options, "--shards", str(tmp_path / "u")]) == 1
    assert "other classes" in capfd.readouterr().err


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
    for name in hostile.BAD:
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


def damaged(shards: Path, copy: Path) -> Path:
    """A copy of the shards, in which the beginning of an image has been overwritten; the shard that has it."""
    path = shutil.copytree(shards, copy) / "shard-000001.tar"
    hostile.damage_shard(path)
    return path


@pytest.mark.parametrize("decoder", decoders.available())
@pytest.mark.parametrize("workers", [0, 2])
def test_an_image_that_is_damaged_later_is_named_counted_and_left_out(
    shards: Path, tmp_path: Path, workers: int, decoder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = damaged(shards, tmp_path / "s")
    once = loader(tmp_path / "s", 8, size=32, workers=workers, decoder=decoder, shuffle=False, augment=False)
    came = [n for images, _labels in once for n in numbers(images)]
    assert len(came) == len(set(came)) == COUNT - 1 and once.left_out == 1
    said = capfd.readouterr().err
    assert said.count(str(path)) == 1 and ".jpg" in said
    training = loader(tmp_path / "s", 8, size=32, workers=workers, decoder=decoder)
    # One more comes again, so that all ranks have as many.
    assert sizes(training) == [8] * 7 + [5] and training.repeated == 1 and training.left_out >= 1


def test_who_is_strict_stops_at_an_image_that_was_damaged_later(shards: Path, tmp_path: Path) -> None:
    damaged(shards, tmp_path / "s")
    with pytest.raises(ImageError, match="shard-000001"):
        list(loader(tmp_path / "s", 4, size=32, workers=0, strict=True))


def test_a_shard_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    write(synthetic(tmp_path / "images", 4, 60, 50), tmp_path / "s", 2)
    path = tmp_path / "s" / "shard-000001.tar"
    path.write_bytes(path.read_bytes()[:-512])
    with pytest.raises(ImageError, match=r"shard-000001\.tar.*Write the shards again, into a new folder"):
        loader(tmp_path / "s")
    with pytest.raises(ImageError, match="fewer than shards"):
        write(tmp_path / "images", tmp_path / "t", 5)


DESTROYS = re.compile(r"delet|remov|overwr|suppri|effac|écras|enlev|usu[nń]|skasu|nadpis", re.IGNORECASE)


def foreign_index(folder: Path, text: str) -> Path:
    """A folder of somebody's own, with an index.json that this program did not write."""
    folder.mkdir(exist_ok=True)
    (folder / "index.json").write_text(text)
    return folder


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
def test_what_is_given_by_mistake_stays(shards: Path, tmp_path: Path, code: str) -> None:
    cut = shutil.copytree(shards, tmp_path / "cut") / "shard-000001.tar"
    cut.write_bytes(cut.read_bytes()[:-512])
    entries = json.dumps({"shards": [{"raw": {"bytes": 3}}], "version": 2, "classes": ["a"]})
    refused = {
        "the pictures": lambda: loader(shards.parent / "images"),
        "the pictures, to the command's": lambda: check_folder(
            shards.parent / "images", shards.parent / "images", None
        ),
        "no JSON": lambda: look(foreign_index(tmp_path / "other", "<html>log in</html>")),
        "an index of another library": lambda: look(foreign_index(tmp_path / "mds", entries)),
        "a shard that does not fit": lambda: look(tmp_path / "cut"),
        "other pictures": lambda: check_folder(shards, tmp_path / "cut", None),
        "no packed file": lambda: Pack(shards / "index.json"),
        "folders of no class": lambda: Found([], ["cat"]).mapped(["dog"]),
    }
    language.use(code)
    for name, give in refused.items():
        with pytest.raises(ImageError) as caught:
            give()
        assert not DESTROYS.search(str(caught.value)), (name, str(caught.value))
    language.use("en")
    for name in ("images", "other", "mds"):
        place = shards.parent / "images" if name == "images" else tmp_path / name
        with pytest.raises(ImageError, match=rf"{name}: these are no shards .*Give the folder into which"):
            look(place)


def inverted(crop: torch.Tensor) -> torch.Tensor:
    return 255 - crop


def test_parts_transform_and_what_is_done_on_a_batch_are_those_of_the_recipe(
    shards: Path, tmp_path: Path
) -> None:
    pack(shards.parent / "images", tmp_path / "p")
    options = {"size": 32, "workers": 0, "scale": (0.3, 0.6), "interpolation": "bicubic"}
    plain, changed, recipe = (
        list(one)
        for one in (
            loader(shards, COUNT, buffer=1, **options),
            loader(
                shards,
                COUNT,
                buffer=1,
                transform=inverted,
                on_batch=lambda images, labels: (images.float(), labels),
                **options,
            ),
            efficient_dataloader.loader(tmp_path / "p", COUNT, **options),
        )
    )
    assert torch.equal(changed[0][0], 255 - plain[0][0].float())
    # Each image has one colour, which no crop changes.
    assert sorted(numbers(plain[0][0])) == sorted(numbers(recipe[0][0])) == list(range(COUNT))

"""The recipe: what is packed comes out, each image once an epoch, and nothing is left behind."""

from __future__ import annotations

import errno
import gc
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils._python_dispatch import TorchDispatchMode

import hostile
from loaderlab.scripts import decoders, efficient_dataloader, machine
from loaderlab.scripts.augmentation import Augmentation, draws
from loaderlab.scripts.dataset import PackedImages
from loaderlab.scripts.efficient_dataloader import choose_workers, loader, main, to_float
from loaderlab.scripts.images import ImageError, synthetic
from loaderlab.scripts.packed_file import PAUSES
from loaderlab.scripts.packing import Pack, pack
from loaderlab.scripts.ring import Ring
from numbered import numbered, numbers
from places import ROOT
from processes import python

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc")
METHODS = ["spawn"] if sys.platform == "win32" else ["fork", "spawn"]
COUNT = 70


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images whose colour is their number."""
    place = tmp_path_factory.mktemp("numbered images")
    assert pack(numbered(place / "images", COUNT), place / "a pack") == []
    return place / "a pack"


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    def segments() -> set[Path]:
        return set(Path("/dev/shm").glob(f"*_{os.getpid()}_*"))

    before = segments()
    yield
    gc.collect()
    assert segments() <= before


@pytest.mark.parametrize(
    ("workers", "method"),
    [(0, None), (1, METHODS[-1]), (2, METHODS[0])]
    + [pytest.param(*case, marks=pytest.mark.long) for case in ((1, METHODS[0]), (2, METHODS[-1]))],
)
def test_each_image_comes_once_in_each_epoch_in_a_new_order(
    packed: Path, workers: int, method: str | None
) -> None:
    batches = loader(packed, 16, size=32, workers=workers, start_method=method)
    names = Pack(packed).about()["names"]
    epochs = []
    for _epoch in range(3):
        epochs.append([])
        for images, labels in batches:
            assert images.dtype == torch.uint8 and images.shape[1:] == (3, 32, 32)
            assert labels.dtype == torch.int64 and images.is_contiguous(memory_format=torch.channels_last)
            came = numbers(images)
            assert labels.tolist() == [number % 3 for number in came]
            epochs[-1] += came
        assert sorted(epochs[-1]) == list(range(COUNT))
    assert len(names) == COUNT and len(set(map(tuple, epochs))) == 3


@pytest.mark.parametrize("scale", [None, (0.08, 1)])
def test_crops_depend_on_seed_epoch_and_index_only(tmp_path: Path, scale: tuple[float, float] | None) -> None:
    synthetic(tmp_path / "images", 24, 120, 100)
    pack(tmp_path / "images", tmp_path / "p")
    runs = []
    for workers, batch in ((0, 24), (1, 5), (2, 7)):
        batches = loader(tmp_path / "p", batch, size=64, workers=workers, seed=3, scale=scale)
        batches.batch_sampler.set_epoch(5)
        epochs = []
        for _epoch in range(2):
            epochs.append(torch.cat([images.clone() for images, _labels in batches]))
        runs.append(epochs)
    for epochs in runs[1:]:
        assert all(torch.equal(one, other) for one, other in zip(runs[0], epochs, strict=True))
    # Other crops, not only another order.
    assert not torch.equal(runs[0][0].sort(0).values, runs[0][1].sort(0).values)


def test_draws_are_even_and_independent() -> None:
    found = draws(1, 2, np.arange(20_000))
    assert found.min() >= 0 and found.max() < 1
    assert np.abs(found.mean(0) - 0.5).max() < 0.01 and np.abs(found.var(0) - 1 / 12).max() < 0.002
    others = np.hstack(
        [found, draws(1, 3, np.arange(20_000)), draws(2, 2, np.arange(20_000)), np.roll(found, 1, 0)]
    )
    assert np.abs(np.corrcoef(others.T) - np.eye(12)).max() < 0.04


def test_a_batch_that_is_kept_is_never_overwritten(packed: Path) -> None:
    batches = loader(packed, 4, size=32, workers=2)
    kept, views, copies = [], [], []
    for epoch in range(4):
        for number, (images, _labels) in enumerate(batches):
            if number % 2 == epoch % 2:
                kept.append(images)
            else:
                views.append(images[1:2, 0, 3:])  # the batch has gone, a part of it has not
            copies.append(
                (kept[-1] if number % 2 == epoch % 2 else views[-1], images.clone(), number % 2 == epoch % 2)
            )
            del images
    for tensor, copy, whole in copies:
        assert torch.equal(tensor, copy if whole else copy[1:2, 0, 3:])


def test_slots_are_used_again_and_given_back(packed: Path) -> None:
    batches = loader(packed, 8, size=32, workers=2, uneven="once")  # nothing is made ahead
    places = set()
    for _epoch in range(4):
        for images, _labels in batches:
            places.add(images.data_ptr())
    ring: Ring = batches.batch_sampler.ring
    assert len(places) < 4 * 9 and len(ring.held) <= 1  # fewer places than batches
    del images
    iterator = iter(batches)
    next(iterator)
    del iterator  # broken off: what was asked for never comes
    assert sorted(number for images, _labels in batches for number in numbers(images)) == list(range(COUNT))
    gc.collect()
    assert not ring.held and not ring.taken.any()


def _in_fresh_memory(packed: Path, workers: int, step: float) -> tuple[int, int]:
    """Return how many batches of five epochs came in no slot, and how many came; the caller lets each go."""
    batches = loader(packed, 8, size=32, workers=workers, start_method="fork")
    places = []
    for _epoch in range(5):
        for images, _labels in batches:
            places.append(images.data_ptr())
            time.sleep(step)
    ring: Ring = batches.batch_sampler.ring
    offsets = [place - ring.memory.data_ptr() for place in places]
    slots = {offset for offset in offsets if 0 <= offset < ring.memory.numel()}
    assert len(ring.memory) == 2 * workers + 1 and len(slots) > workers
    return sum(offset not in slots for offset in offsets), len(offsets)


@LINUX
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("step", [0, 0.02])
def test_a_caller_who_lets_each_batch_go_gets_all_in_the_slots_where_workers_wait_for_one(
    packed: Path, workers: int, step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else a pinned copy comes instead.
    monkeypatch.setattr(efficient_dataloader, "accelerator", lambda: False)
    monkeypatch.setattr("loaderlab.scripts.ring.LOOKS", 50_000)  # 10 s, which the workers inherit
    assert _in_fresh_memory(packed, workers, step) == (0, 45)


@LINUX
@pytest.mark.serial
@pytest.mark.parametrize("step", [0, 0.02])
def test_workers_look_long_enough_for_all_but_a_few(
    packed: Path, step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(efficient_dataloader, "accelerator", lambda: False)
    fresh, all_of_them = _in_fresh_memory(packed, 3, step)
    assert fresh <= all_of_them / 10


def test_ranks_have_as_many_batches_and_see_all(packed: Path) -> None:
    parts = [loader(packed, 16, size=32, workers=0, ranks=3, rank=rank) for rank in range(3)]
    came = [[n for images, _labels in part for n in numbers(images)] for part in parts]
    assert len({len(part) for part in came}) == 1 and set(sum(came, [])) == set(range(COUNT))


def test_for_validation_everything_stays_in_its_place(packed: Path) -> None:
    batches = loader(packed, 16, size=32, workers=1, shuffle=False, augment=False)
    names = Pack(packed).about()["names"]
    first = [number for images, _labels in batches for number in numbers(images)]
    assert first == [int(Path(name).stem) for name in names]
    assert torch.equal(next(iter(batches))[0], next(iter(batches))[0])


def test_the_dataset_works_with_an_ordinary_loader(packed: Path) -> None:
    dataset = PackedImages(packed, Augmentation(32))
    image, label = dataset[4]
    assert image.shape == (3, 32, 32) and isinstance(label, int)
    assert len(dataset) == COUNT and len(pickle.dumps(dataset)) < 2000
    ordinary = torch.utils.data.DataLoader(dataset, 10, shuffle=True, collate_fn=lambda batch: batch)
    assert sorted(n for images, _labels in ordinary for n in numbers(images)) == list(range(COUNT))


def test_bad_files_are_named_and_the_rest_is_packed(tmp_path: Path) -> None:
    folder = hostile.folder(tmp_path / "my photos")
    problems = pack(folder, tmp_path / "p")
    assert {problem.path.name for problem in problems} == hostile.BAD
    assert all(str(folder) in str(problem) for problem in problems)
    assert len(Pack(tmp_path / "p")) == hostile.GOOD and len(Pack(tmp_path / "p").about()["left_out"]) == len(
        problems
    )
    count = sum(len(labels) for _images, labels in loader(tmp_path / "p", 5, workers=2))
    assert count == hostile.GOOD
    small = pack(folder, tmp_path / "small", shorter=64)
    assert len(small) == len(problems)
    index = Pack(tmp_path / "small").index
    assert max(np.minimum(index["width"], index["height"])) == 64
    with pytest.raises(ImageError, match=r"notes\.txt: no image"):
        pack(folder, tmp_path / "strict", strict=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my photos", "p", "small"]


def test_what_is_packed_for_validation_has_the_numbers_of_the_trainings_classes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    synthetic(tmp_path / "train", 6, 60, 50, classes=3)
    (tmp_path / "val").mkdir()
    (tmp_path / "train" / "class 2").rename(tmp_path / "val" / "class 2")
    (tmp_path / "train" / "class 2").mkdir()
    (tmp_path / "val" / "class 2" / "000004.jpg").rename(tmp_path / "train" / "class 2" / "000004.jpg")
    pack(tmp_path / "train", tmp_path / "t")
    training = Pack(tmp_path / "t")
    pack(tmp_path / "val", tmp_path / "v", classes=training.classes)
    validation = Pack(tmp_path / "v")
    assert validation.index["label"].tolist() == [2] and validation.classes == training.classes
    validation.check_folder(tmp_path / "val", classes=training.classes)
    options = [
        *["--epochs", "0", "--workers", "0", "--folder"],
        str(tmp_path / "val"),
        "--pack",
        str(tmp_path / "w"),
    ]
    assert main(options) == 0
    assert main([*options, "--classes", str(tmp_path / "t")]) == 1
    assert "other classes" in capfd.readouterr().err
    assert main([*options, "--classes", str(tmp_path / "t"), "--repack"]) == 0
    assert Pack(tmp_path / "w").index["label"].tolist() == [2]


def test_packing_in_processes_gives_the_same_file(tmp_path: Path) -> None:
    synthetic(tmp_path / "images", 80, 60, 50)
    pack(tmp_path / "images", tmp_path / "one")
    pack(tmp_path / "images", tmp_path / "other", processes=2)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_folder_without_a_readable_image_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImageError, match="empty: no readable image"):
        pack(tmp_path / "empty", tmp_path / "p")
    (tmp_path / "empty" / "a.jpg").write_text("no image")
    with pytest.raises(ImageError, match=r"a\.jpg: no image, by its content"):
        pack(tmp_path / "empty", tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_a_packed_file_that_is_not_whole_or_not_new_is_refused(packed: Path, tmp_path: Path) -> None:
    whole = packed.read_bytes()
    for content, message in (
        (whole[:-9], "instead of"),
        (whole[:20], "no packed file"),
        (b"x" * 90, "no packed file"),
    ):
        (tmp_path / "p").write_bytes(content)
        with pytest.raises(ImageError, match=message) as refused:
            Pack(tmp_path / "p")
        # What is none may be anything: nobody is told to write over it.
        assert ("--repack" in str(refused.value)) == (message == "instead of")
        assert str(tmp_path / "p") in str(refused.value)
    with pytest.raises(ImageError, match="nowhere"):
        Pack(tmp_path / "nowhere")
    folder = synthetic(tmp_path / "images", 8, 60, 50)
    pack(folder, tmp_path / "p")
    one = Pack(tmp_path / "p")
    one.check_folder(folder)
    with pytest.raises(ImageError, match="--repack"):
        one.check_folder(folder, 32)
    next(folder.rglob("*.jpg")).unlink()
    with pytest.raises(ImageError, match="--repack"):
        one.check_folder(folder)
    (tmp_path / "p").write_bytes(whole)  # replaced behind our back
    with pytest.raises(ImageError, match="changed"):
        _ = one.index


@pytest.fixture
def file(packed: Path, tmp_path: Path) -> Path:
    """A copy of the packed file, which may be damaged."""
    return Path(shutil.copyfile(packed, tmp_path / "p"))


@pytest.mark.parametrize("decoder", decoders.available())
@pytest.mark.parametrize("workers", [0, 2])
def test_an_image_that_is_damaged_later_is_named_counted_and_left_out(
    file: Path, workers: int, decoder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    name = hostile.damage(file, 5)
    training = loader(file, 16, size=32, workers=workers, decoder=decoder)
    sizes, came = [], []
    for images, labels in training:
        sizes.append(len(images))
        came += numbers(images)
        assert labels.tolist() == [number % 3 for number in numbers(images)]
    # Another image is in its place, so that all ranks have batches of one size.
    assert sizes == [16, 16, 16, 16, 6] and set(came) == set(range(COUNT)) - {int(Path(name).stem)}
    once = loader(file, 16, size=32, workers=workers, decoder=decoder, shuffle=False, augment=False)
    assert sorted(n for images, _labels in once for n in numbers(images)) == sorted(set(came))
    assert training.left_out == once.left_out == 1
    said = capfd.readouterr().err
    assert said.count(name) == 2 and str(file) in said


LINUX_READS = pytest.mark.skipif(sys.platform != "linux", reason="preadv")


class Reads:
    """In place of `os.preadv`: one for each call, "short" or an error; then as the system does it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *how: str | int, always: int | None = None) -> None:
        self.how, self.always, self.read, self.slept = list(how), always, os.preadv, []
        monkeypatch.setattr(os, "preadv", self)
        monkeypatch.setattr(time, "sleep", self.slept.append)

    def __call__(self, file: int, buffers: list[memoryview], start: int) -> int:
        if start == self.always:
            raise OSError(errno.EIO, "Input/output error")
        how = self.how.pop(0) if self.how else None
        if isinstance(how, int):
            raise OSError(how, os.strerror(how))
        return self.read(file, [buffers[0][:100]] if how == "short" else buffers, start)


@LINUX_READS
@pytest.mark.parametrize(
    ("how", "pauses"),
    [(["short"] * 3, 0), ([errno.ESTALE], 1), ([errno.EIO, "short", errno.EIO, errno.ESTALE], 3)],
    ids=["short", "a stale handle", "several"],
)
def test_a_read_that_is_short_or_fails_for_a_while_is_read_on(
    packed: Path, monkeypatch: pytest.MonkeyPatch, how: list[str | int], pauses: int
) -> None:
    one = Pack(packed)
    expected = [one.bytes_of(record).tobytes() for record in one.index]
    before = one._opened()[1]
    reads = Reads(monkeypatch, *how)
    assert [one.bytes_of(record).tobytes() for record in one.index] == expected
    assert reads.slept == list(PAUSES[:pauses]) and not reads.how
    assert (one._opened()[1] is before) == (pauses == 0)  # after a failure it was opened anew


@LINUX_READS
def test_an_image_that_cannot_be_read_is_a_damaged_one(
    packed: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    one = Pack(packed)
    name, start = one.name(7), int(one.index[7]["start"])
    reads = Reads(monkeypatch, always=start)
    once = loader(packed, 16, size=32, workers=0, shuffle=False, augment=False)
    came = [n for images, _labels in once for n in numbers(images)]
    assert len(came) == COUNT - 1 and int(Path(name).stem) not in came and once.left_out == 1
    assert f"{name}: Input/output error" in capfd.readouterr().err and reads.slept == list(PAUSES)
    with pytest.raises(ImageError, match=f"{name}: Input/output error"):
        list(loader(packed, 16, size=32, workers=0, strict=True))


@LINUX_READS
def test_a_file_that_has_become_shorter_ends_the_training(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Pack(file)
    record = one.index[COUNT - 1].copy()
    reads = Reads(monkeypatch)
    os.truncate(file, int(record["start"]) + 10)
    with pytest.raises(ImageError, match="has become shorter.*--repack"):
        one.bytes_of(record)
    assert not reads.slept  # nothing to wait for


def test_names_are_found_without_making_objects_of_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a.jpg", ", [x", "é ü 好", "[1]"] + (
        ['q"uo, "names": ["te', "back\\slash"] if os.name != "nt" else []
    )
    for name in names:
        (tmp_path / "images" / name).mkdir(parents=True)
        Image.new("RGB", (20, 20)).save(tmp_path / "images" / name / f"{name}.png")
    pack(tmp_path / "images", tmp_path / "p")
    expected = Pack(tmp_path / "p").about()["names"]
    one = Pack(tmp_path / "p")
    monkeypatch.setattr(json, "loads", None)
    assert [one.name(number) for number in range(len(names))] == expected
    assert one._names is not None and one._names.nbytes == 8 * len(names)
    assert len(pickle.dumps(one)) == len(pickle.dumps(Pack(tmp_path / "p")))  # workers get none of it


@pytest.mark.parametrize("workers", [0, 2])
def test_who_is_strict_stops_at_an_image_that_was_damaged_later(file: Path, workers: int) -> None:
    name = hostile.damage(file, 5)
    with pytest.raises(ImageError, match=name) as stopped:
        list(loader(file, 16, size=32, workers=workers, strict=True))
    traceback.clear_frames(stopped.tb)  # they hold the loader, and the loader its workers


def test_a_damaged_image_is_an_image_error_in_a_process_that_has_seen_no_good_one(tmp_path: Path) -> None:
    code = (
        "import numpy as np\n"
        "from loaderlab.scripts.decoders import View, fill\n"
        "from loaderlab.scripts.images import ImageError\n"
        "row = {'width': 300, 'height': 300, 'orientation': 1, 'frame': -1}\n"
        "try: fill(np.empty((224, 224, 3), np.uint8), bytearray(200), row, View(), 'pillow')\n"
        "except ImageError as error: print(error)"
    )
    ran = python(code)
    assert ran.stdout == "no image, by its content\n", ran.stderr


def test_a_batch_without_a_readable_image_stops_a_training_and_is_passed_over_by_an_evaluation(
    file: Path,
) -> None:
    for number in (0, 1):
        hostile.damage(file, number)
    with pytest.raises(ImageError, match=r"\.jpg"):
        list(loader(file, 2, size=32, workers=0, shuffle=False))
    once = loader(file, 2, size=32, workers=0, shuffle=False, augment=False)
    assert [len(labels) for _images, labels in once] == [2] * (COUNT // 2 - 1)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_look_at_one_batch_does_not_move_the_epoch(packed: Path, workers: int) -> None:
    # With one batch in an epoch, the workers are asked for all of it at once.
    for batch_size in (8, COUNT):
        looked, other = (loader(packed, batch_size, size=32, workers=workers) for _rank in range(2))
        next(iter(looked))
        list(looked.batch_sampler)
        if batch_size < COUNT:
            for _epoch in range(2):
                assert [numbers(i) for i, _l in looked] == [numbers(i) for i, _l in other]
        assert looked.batch_sampler.sampler.epoch == 1 + (batch_size < COUNT)


def test_who_takes_as_many_batches_as_there_are_has_seen_the_epoch(packed: Path) -> None:
    batches = loader(packed, 16, size=32, workers=0)
    iterator = iter(batches)
    for _step in range(len(batches)):
        next(iterator)
    assert batches.batch_sampler.sampler.epoch == 1


@pytest.mark.parametrize("ranks", [1, 3, 4, pytest.param(COUNT + 5, marks=pytest.mark.long)])
def test_in_an_evaluation_every_image_comes_once_on_any_number_of_ranks(packed: Path, ranks: int) -> None:
    parts = [
        loader(packed, 16, size=32, workers=0, shuffle=False, augment=False, ranks=ranks, rank=rank)
        for rank in range(ranks)
    ]
    for _epoch in range(2):
        came = [n for part in parts for images, _labels in part for n in numbers(images)]
        assert sorted(came) == list(range(COUNT))


def test_what_is_done_on_a_batch_comes(packed: Path) -> None:
    batches = loader(
        packed, 8, size=32, workers=2, on_batch=lambda images, labels: (to_float(images), labels + 1)
    )
    for images, labels in batches:
        assert images.dtype == torch.float32 and labels.min() >= 1


@LINUX
@pytest.mark.serial  # others would take some of the room
def test_a_loader_takes_no_shared_memory_before_it_is_used(packed: Path) -> None:
    def room() -> int:
        status = os.statvfs("/dev/shm")
        return (status.f_blocks - status.f_bfree) * status.f_frsize

    before = room()
    batches = loader(packed, 64, workers=2)  # its slots: 5 × 64 × 224 × 224 × 3 bytes
    assert room() - before < 64 * 224 * 224 * 3
    next(iter(batches))
    assert batches.batch_sampler.ring.memory.shape == (5, 64, 224, 224, 3)


class Copies(TorchDispatchMode):
    """Counts what would make the host wait for a device: tensors made of Python numbers, and copies that block."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, call: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        moved = call is torch.ops.aten._to_copy.default and (kwargs or {}).get("device")
        blocking = moved and not kwargs.get("non_blocking")
        self.count += bool(blocking) or call is torch.ops.aten.lift_fresh.default
        return call(*args, **(kwargs or {}))


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_making_floats_never_waits_for_the_device(device: str) -> None:
    images = torch.zeros(2, 3, 5, 5, dtype=torch.uint8)
    with Copies() as copies:
        for std in ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), [0.1, 0.2, 0.3]):
            to_float(images, device, std=std)
    assert copies.count == 0
    with Copies() as copies:  # what it counts
        torch.tensor([1.0, 2.0])
        images.to("meta")
    assert copies.count == 2


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA")
def test_making_floats_does_not_synchronise_with_a_gpu() -> None:
    images = torch.randint(0, 256, (8, 3, 32, 32), dtype=torch.uint8).pin_memory()
    torch.zeros(1, device="cuda")  # CUDA itself begins
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("error")
    try:
        found = to_float(images, "cuda")
    finally:
        torch.cuda.set_sync_debug_mode(before)
    assert torch.allclose(found.cpu(), to_float(images))


def test_floats_are_those_of_the_formula() -> None:
    images = torch.randint(0, 256, (2, 3, 5, 5), dtype=torch.uint8).contiguous(
        memory_format=torch.channels_last
    )
    floats = images.float()
    assert torch.equal(to_float(floats), to_float(images))
    assert torch.equal(floats, images.float()), "what was given is changed"
    found = to_float(images, "cpu", (0.5, 0.4, 0.3), (0.1, 0.2, 0.3))
    mean, std = torch.tensor([[0.5, 0.4, 0.3], [0.1, 0.2, 0.3]]).view(2, 1, 3, 1, 1)
    torch.testing.assert_close(found, (images / 255 - mean) / std)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_workers_are_measured_up_to_one_more_than_there_are_cores(packed: Path) -> None:
    found = choose_workers(packed, 8, batches=4, size=32)
    assert list(found) == list(range(1, machine.cores() + 2)) and min(found.values()) > 0


def _collector_kept_away(crop: torch.Tensor) -> torch.Tensor:
    return torch.full_like(crop, int(gc.get_freeze_count() > 0))


@LINUX
@pytest.mark.long
def test_the_collector_of_a_worker_leaves_alone_what_the_fork_gave_it(packed: Path) -> None:
    gc.unfreeze()  # what conftest.py froze
    try:
        batches = loader(packed, 4, workers=1, size=32, transform=_collector_kept_away, start_method="fork")
        assert all(images.min() == 1 for images, _labels in batches)
        assert gc.get_freeze_count() == 0  # here it goes on as before
    finally:
        gc.freeze()
    list(loader(packed, 4, workers=1, size=32, start_method="fork"))
    assert gc.get_freeze_count() > 0  # what somebody else froze stays so


@pytest.mark.long
@LINUX
def test_the_recipe_takes_its_slots_more_than_a_plain_loader_at_most(tmp_path: Path) -> None:
    script = ROOT / "tests" / "helpers" / "scripts_memory.py"
    synthetic(tmp_path / "images", 512)
    pack(tmp_path / "images", tmp_path / "p")
    taken = {}
    for kind in ("plain", "recipe"):
        command = [sys.executable, str(script), kind, str(tmp_path)]
        taken[kind] = int(
            subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
        )
    # Its five slots of 32 × 3 × 224 × 224 bytes stay, while the plain loader's batches come and go: on a busy machine there may be none.
    assert taken["recipe"] <= taken["plain"] + 5 * 32 * 3 * 224 * 224, taken


def test_the_script_runs_alone_and_on_a_folder_and_says_what_it_left_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["--samples", "70", "--epochs", "1", "--batch-size", "8", "--workers", "2"]) == 0
    out = capfd.readouterr().out
    assert "images: 70;" in out and "ratio" in out
    folder = hostile.folder(tmp_path / "photos")
    # A real photograph, which matplotlib brings along.
    photo = Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg"
    (folder / "second" / "a photo.jpg").write_bytes(photo.read_bytes())
    arguments = ["--folder", str(folder), "--pack", str(tmp_path / "p"), "--epochs", "1", "--workers", "0"]
    assert main(arguments) == 0
    captured = capfd.readouterr()
    assert f"images: {hostile.GOOD + 1}, classes: 2" in captured.out
    for name in hostile.BAD:
        assert any(name in line and str(folder) in line for line in captured.err.splitlines())
    assert main(arguments) == 0  # used again
    assert "Packed" not in capfd.readouterr().out
    (folder / "second" / "a photo.jpg").unlink()
    assert main(arguments) == 1
    assert "--repack" in capfd.readouterr().err
    assert main([*arguments, "--repack"]) == 0
    assert main([*arguments, "--repack", "--strict"]) == 1
    assert main(["--folder", str(tmp_path / "nowhere")]) == 1
    assert "nowhere: there is no such folder" in capfd.readouterr().err
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]

"""What the cells of lesson 9 stand on: pictures in their forms, batches augmented, threads beside workers, rows of a tensor."""

from __future__ import annotations

import torch

from loaderlab.data import jpegs
from loaderlab.lessons.beyond_workers import augmenting, decoding, resident, threads

SIDE = decoding.CROP


def test_a_crop_of_bytes_has_a_quarter_of_its_floats_and_a_jpeg_less_than_its_crop() -> None:
    sizes = {row["form"]: row["bytes"] for row in decoding.forms(jpegs(4, decoding.STORED))}
    assert sizes["uint8"] == 3 * SIDE * SIDE == sizes["float32"] / 4 and sizes["jpeg"] < sizes["uint8"]


def test_a_crop_is_the_middle_and_lies_in_memory_of_its_own() -> None:
    picture = torch.arange(3 * 300 * 260).reshape(3, 300, 260)
    crop = decoding.crop(picture)
    assert torch.equal(crop, picture[:, 38:262, 18:242]) and crop.is_contiguous()


def test_each_image_is_augmented_by_draws_of_its_own_and_stays_as_it_was() -> None:
    images = torch.randint(256, (1, 3, 40, 40), dtype=torch.uint8).expand(8, -1, -1, -1).contiguous()
    given = images.clone()
    augmented = augmenting.augment(images, torch.Generator().manual_seed(0))
    assert augmented.shape == (8, 3, SIDE, SIDE) and augmented.dtype == torch.float32
    assert len({tuple(image.flatten().tolist()) for image in augmented}) == 8
    assert torch.equal(images, given)


def test_one_by_one_is_the_same_work_as_a_batch() -> None:
    images = torch.randint(256, (3, 3, 40, 40), dtype=torch.uint8)
    alone = augmenting.one_by_one(images, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(0)
    assert torch.equal(alone, torch.cat([augmenting.augment(images[i : i + 1], generator) for i in range(3)]))
    one = augmenting.augment(images[:1], torch.Generator().manual_seed(0))
    assert torch.equal(alone[:1], one)


def test_mirrored_images_are_counted() -> None:
    images = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    half = torch.stack([images[0].flip(-1), images[1]])
    assert [augmenting.flipped(images, after) for after in (images, half, images.flip(-1))] == [0, 1, 2]


def test_threads_and_workers_do_all_of_the_work_and_each_way_has_its_rows() -> None:
    works = {"decode": decoding.decode, "python": threads.python_only}
    rows = list(threads.rates(works, jpegs(4, 64) * 4, counts=(1, 2), repeats=1))
    assert {(row["work"], row["by"], row["count"]) for row in rows} == {
        (work, by, count) for work in works for by in ("threads", "workers") for count in (1, 2)
    }
    assert min(row["items_per_s"] for row in rows) > 0


def test_the_checksum_is_that_of_the_bytes() -> None:
    assert threads.python_only(b"\x01\x02") == 33 and threads.one_lock() in (True, False)


def test_an_epoch_without_a_loader_has_each_row_once_in_a_new_order() -> None:
    data = torch.arange(100)
    epochs = [list(resident.batches(data, 32)) for _epoch in range(2)]
    assert [len(batch) for batch in epochs[0]] == [32, 32, 32, 4]
    rows = [torch.cat(epoch).tolist() for epoch in epochs]
    assert sorted(rows[0]) == sorted(rows[1]) == data.tolist() and rows[0] != rows[1]

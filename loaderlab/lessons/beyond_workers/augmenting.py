"""Augmentation of images one by one or as a batch, on the CPU or on the device."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.nn.functional import affine_grid, grid_sample

from loaderlab.measuring.measure import compare

CROP = 224


def flipped(before: torch.Tensor, after: torch.Tensor) -> int:
    """Return how many images of a batch are mirrored and not the same; none of ``before`` is its own mirror image."""
    return sum(torch.equal(one.flip(-1), other) for one, other in zip(before, after, strict=True))


def augment(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Crop, mirror and brighten each image by draws of its own; bytes come in, floats [B, 3, CROP, CROP] go out, where they lie.

    All draws are made on the CPU, and sent together: a few numbers for each image.
    """
    scale, across, down, mirror, gain = torch.rand(5, len(images), generator=generator)
    size = 0.5 + 0.5 * scale  # of the picture's side
    zero = torch.zeros_like(size)
    rows = (
        torch.stack([size * torch.where(mirror < 0.5, -1.0, 1.0), zero, (2 * across - 1) * (1 - size)], 1),
        torch.stack([zero, size, (2 * down - 1) * (1 - size)], 1),
    )
    windows, gains = (
        drawn.to(images.device, non_blocking=True) for drawn in (torch.stack(rows, 1), 0.8 + 0.4 * gain)
    )
    grid = affine_grid(windows, [len(images), 3, CROP, CROP], align_corners=False)
    return grid_sample(images.float(), grid, align_corners=False) * gains.view(-1, 1, 1, 1)


def one_by_one(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Augment one image after the other, and join them: the same work, in as many calls as there are images."""
    return torch.cat([augment(image[None], generator) for image in images])


def each_way(
    places: list[str], count: int = 64, side: int = 288, seconds: float = 0.5, repeats: int = 3
) -> Iterator[dict[str, Any]]:
    """Yield rows of images/s: one by one and as a batch, in each of the places ("cpu", with one thread, and "cuda")."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as in a worker
    try:
        images = torch.randint(256, (count, 3, side, side), dtype=torch.uint8)
        ways: dict[str, Callable[..., torch.Tensor]] = {"one_by_one": one_by_one, "batch": augment}
        timed = {
            (way, place): partial(_rate, function, images.to(place), seconds)
            for place in places
            for way, function in ways.items()
        }
        for (way, place), rates in compare(timed, repeats=repeats, warmup=1).items():
            yield from ({"way": way, "place": place, "images_per_s": rate} for rate in rates)
    finally:
        torch.set_num_threads(threads)


def _rate(way: Callable[..., torch.Tensor], images: torch.Tensor, seconds: float) -> float:
    """Return images/s until all is done that was ordered in so many seconds."""
    generator, done, began = torch.Generator().manual_seed(0), 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        way(images, generator)
        done += len(images)
        if images.is_cuda:
            torch.cuda.synchronize()
    return done / (time.perf_counter() - began)

"""Functions of one's own: what a transform draws for an image is the same each time, and a batch that `on_batch` refuses has not come."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import torch

from loaderlab.scripts.efficient_dataloader import loader
from loaderlab.scripts.packing import pack
from numbered import numbered, numbers

COUNT = 22


def marked(crop: torch.Tensor, *chances: float) -> torch.Tensor:
    """What was drawn becomes the blue of the first pixels."""
    for pixel, chance in enumerate(chances):
        crop[2, 0, pixel] = int(256 * chance)
    return crop


def by_torch(crop: torch.Tensor) -> torch.Tensor:
    return marked(crop, *torch.rand(2).tolist())


def by_random(crop: torch.Tensor) -> torch.Tensor:
    return marked(crop, random.random(), random.gauss(0.5, 0.01))


def by_numpy(crop: torch.Tensor) -> torch.Tensor:
    return marked(crop, np.random.rand(), np.random.normal(0.5, 0.01))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """A loader of both kinds, of the same images."""
    place = tmp_path_factory.mktemp("numbered")
    pack(numbered(place / "images", COUNT), place / "p")

    def make(kind: str, **options: Any) -> Any:
        options = {"size": 16, "workers": 0, "ranks": 1, "rank": 0, **options}
        if kind == "recipe":
            return loader(place / "p", 4, **options)
        pytest.importorskip("webdataset")
        from loaderlab.scripts import shards, webdataset_loader

        if not (place / "s").exists():
            shards.write(place / "images", place / "s", 3)
        return webdataset_loader.loader(place / "s", 4, buffer=5, **options)

    return make


def drawn(batches: Iterable[Any], steps: int | None = None) -> dict[int, list[int]]:
    """What was drawn for each image of an epoch, or of so many batches."""
    found: dict[int, list[int]] = {}
    for step, (images, _labels) in enumerate(batches, 1):
        found |= dict(zip(numbers(images), images[:, 2, 0, :2].tolist(), strict=True))
        if step == steps:
            break
    return found


@pytest.mark.parametrize("transform", [by_torch, by_random, by_numpy])
@pytest.mark.parametrize("kind", ["recipe", "shards"])
def test_what_a_transform_draws_depends_on_the_image_and_the_epoch_alone(
    made: Callable[..., Any], kind: str, transform: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    whole = made(kind, transform=transform)
    epochs = [drawn(whole) for _epoch in range(2)]
    assert all(len(epoch) == COUNT and len(set(map(tuple, epoch.values()))) > 15 for epoch in epochs)
    assert epochs[0] != epochs[1] and drawn(made(kind, transform=transform, seed=1)) != epochs[0]
    for workers in (1, 2):
        random.random(), np.random.rand(), torch.rand(1)  # the program's own, which move nothing
        stopped = made(kind, transform=transform, workers=workers)
        assert drawn(stopped) == epochs[0]
        came = drawn(stopped, 2)
        resumed = made(kind, transform=transform, workers=workers)
        resumed.load_state_dict(json.loads(json.dumps(stopped.state_dict())))
        assert len(came) == 8 and came | drawn(resumed) == epochs[1]


def raising(crop: torch.Tensor) -> torch.Tensor:
    by_random(by_numpy(by_torch(crop)))
    raise ArithmeticError


@pytest.mark.parametrize("kind", ["recipe", "shards"])
def test_the_programs_own_chances_stay_as_they_were(
    made: Callable[..., Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def next_draws(transform: Any) -> list[float]:
        random.seed(5), np.random.seed(5), torch.manual_seed(5)
        random.gauss(), np.random.randn()  # each keeps a second one for the next call
        monkeypatch.setattr(torch.cuda, "manual_seed_all", lambda _seed: pytest.fail("those of a device"))
        try:
            drawn(made(kind, transform=transform))
        except ArithmeticError:
            assert transform is raising
        monkeypatch.undo()
        return [random.gauss(), random.random(), np.random.randn(), np.random.rand(), torch.rand(1).item()]

    plain = next_draws(None)
    for transform in (by_torch, by_random, by_numpy, raising):
        assert next_draws(transform) == plain


@pytest.mark.parametrize("kind", ["recipe", "shards"])
def test_a_transform_keeps_shape_and_dtype(made: Callable[..., Any], kind: str) -> None:
    with pytest.raises(ValueError, match=r"uint8 \(3, 16, 16\) and gave float32 \(3, 16, 16\).*on_batch"):
        next(iter(made(kind, transform=torch.Tensor.float)))


@pytest.mark.parametrize("refused", [1, 3, 6])  # of 6
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("kind", ["recipe", "shards"])
def test_a_batch_that_on_batch_refuses_comes_after_the_stop(
    made: Callable[..., Any], kind: str, workers: int, refused: int
) -> None:
    whole = [numbers(images) for images, _labels in made(kind, workers=workers)]
    asked = iter(range(1, refused + 1))

    def on_batch(images: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if next(asked) == refused:
            raise MemoryError
        return images, labels

    stopped, came = made(kind, workers=workers, on_batch=on_batch), []
    with pytest.raises(MemoryError):
        came.extend(numbers(images) for images, _labels in stopped)
    resumed = made(kind, workers=workers)
    resumed.load_state_dict(json.loads(json.dumps(stopped.state_dict())))
    assert len(came) == refused - 1
    assert came + [numbers(images) for images, _labels in resumed] == whole

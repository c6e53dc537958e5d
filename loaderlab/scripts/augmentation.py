"""The views of images: a part of each, and what a transform of one's own makes of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image

from .arguments import interval, whole
from .crops import CHANCES, Part, centre, random_resized
from .decoders import View
from .words import translate as _


@dataclass(frozen=True)
class Augmentation:
    """Crops of ``size`` pixels, and a transform of them; whatever is drawn depends on (seed, epoch, index) only.

    That holds for what a transform draws with the functions of torch, `random` and `np.random`, and not for a generator of its own.

    ``least`` is 8/7 of ``size`` if not given, as 256 is for 224. Without ``augment``, images are seen as by Resize(``least``) and CenterCrop(``size``). With ``scale``, as by torchvision's
    RandomResizedCrop; else in a window on the image at 1/1, 1/2, 1/4 or 1/8 of its size, whose shorter side is ``least`` or
    more. ``transform`` gets uint8 [3, size, size], and gives back one like it. Raises ValueError for a ``least`` below ``size``,
    and for an interpolation that Pillow does not have.
    """

    size: int = 224
    least: int = 0
    augment: bool = True
    seed: int = 0
    scale: tuple[float, float] | None = None
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    interpolation: str = "bilinear"
    transform: Callable[[torch.Tensor], torch.Tensor] | None = None

    def __post_init__(self) -> None:
        whole(size=self.size)
        whole(0, seed=self.seed)
        interval(1, scale=self.scale)
        interval(ratio=self.ratio)
        object.__setattr__(self, "least", self.least or self.size * 8 // 7)
        if self.least < self.size:
            text = _("`least` is {least} pixels, fewer than those of the crop: `size` is {size}.")
            raise ValueError(text.format(least=self.least, size=self.size))
        known = [name.lower() for name in Image.Resampling.__members__]
        if self.interpolation not in known:
            text = _("There is no interpolation {name!r}. There are: {known}.")
            raise ValueError(text.format(name=self.interpolation, known=", ".join(known)))

    def views(
        self, epoch: int, indices: Iterable[int], sizes: Iterable[tuple[int, int]]
    ) -> Iterator[View | Part]:
        """Yield the view of each image; ``sizes`` are their widths and heights, upright."""
        chances = draws(self.seed, epoch, np.array(indices), CHANCES if self.scale else 3).tolist()
        for shown, drawn in zip(sizes, chances, strict=True):
            if not self.augment:
                yield centre(*shown, self.size, self.least, self.interpolation)
            elif self.scale:
                yield random_resized(*shown, self.size, drawn, self.scale, self.ratio, self.interpolation)
            else:
                u, v, mirrored = drawn
                yield View(self.size, self.least, u, v, mirrored < 0.5)

    def change(self, places: np.ndarray, epoch: int, indices: Sequence[int]) -> None:
        """Let the transform, where there is one, change the crops of a batch in their places [B, size, size, 3].

        Raises ValueError where it gives back another shape or dtype.
        """
        if not self.transform:
            return
        seeds = draws(self.seed, epoch, np.array(indices, dtype=np.int64), CHANCES + 1)[:, -1] * 2**53
        with _apart():
            for place, seed in zip(places, seeds.tolist(), strict=True):
                random.seed(int(seed))
                np.random.seed(int(seed) % 2**32)
                torch.default_generator.manual_seed(int(seed))
                self._changed(place, self.transform)

    @staticmethod
    def _changed(place: np.ndarray, transform: Callable[[torch.Tensor], torch.Tensor]) -> None:
        crop = torch.from_numpy(place).permute(2, 0, 1)
        changed = transform(crop)
        if changed.shape != crop.shape or changed.dtype != crop.dtype:
            raise ValueError(
                _(
                    "`transform` got uint8 {due} and gave {dtype} {shape}. It must keep type and shape; an operation that "
                    "changes them can run on the whole batch (`on_batch`)."
                ).format(
                    due=tuple(crop.shape),
                    dtype=str(changed.dtype).removeprefix("torch."),
                    shape=tuple(changed.shape),
                )
            )
        crop.copy_(changed)


@contextmanager
def _apart() -> Iterator[None]:
    """Leave the program's own chances as they are, whatever is drawn in the block.

    Once for a batch: NumPy takes 60 µs to tell its state, and as many to take it back. Of torch only the CPU's generator, for
    `torch.manual_seed` would seed those of accelerators, too, and takes 200 µs or more.
    """
    generators: tuple[tuple[Any, Callable[[Any], None]], ...] = (
        (random.getstate(), random.setstate),
        (np.random.get_state(), np.random.set_state),
        (torch.default_generator.get_state(), torch.default_generator.set_state),
    )
    try:
        yield
    finally:
        for state, put_back in generators:
            put_back(state)


def draws(seed: int, epoch: int, indices: np.ndarray, count: int = 3) -> np.ndarray:
    """``count`` numbers from 0 to 1 for each index, which depend on nothing else than seed, epoch and index (splitmix64)."""
    with np.errstate(over="ignore"):
        start = _mixed(np.uint64(seed & (2**64 - 1)) + _mixed(np.array([epoch], dtype=np.uint64)))
        state = _mixed(start + indices.astype(np.uint64))[:, None]
        state = _mixed(state + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return (state >> np.uint64(11)) * 2.0**-53


def _mixed(x: np.ndarray) -> np.ndarray:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))

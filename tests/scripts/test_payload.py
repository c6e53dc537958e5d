"""The contents of a batch: how many samples it has, which field of it is what is sent, and where that is made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, RandomSampler

from loaderlab.scripts.diagnosis.contents import samples_in
from loaderlab.scripts.diagnosis.decision import decide
from loaderlab.scripts.diagnosis.loop import Batches, loop
from loaderlab.scripts.diagnosis.parts import parts
from loaderlab.scripts.diagnosis.payload import birthplace, heaviest
from loaderlab.scripts.diagnosis.pools import limited, pools
from zoo.evidence import CASES


class Graphs(Dataset):
    """Of so many nodes each that no length in a batch is that of its samples; in batches made by itself, too."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: Any) -> torch.Tensor:
        return torch.zeros(7 * (len(index) if isinstance(index, list) else 1), 3)


class Streamed(IterableDataset):
    def __iter__(self) -> Any:
        return iter([(torch.zeros(16, 3, 2, 2), torch.zeros(16))] * 20)


@pytest.mark.parametrize(
    ("loader", "samples"),
    [
        (DataLoader(Graphs(), 16, collate_fn=torch.cat), 16),
        (DataLoader(Graphs(), batch_sampler=BatchSampler(range(64), 8, False), collate_fn=torch.cat), 8),
        (DataLoader(Graphs(), sampler=BatchSampler(RandomSampler(range(64)), 8, False), batch_size=None), 8),
        (DataLoader(Streamed(), batch_size=None, num_workers=1), 16),
    ],
)
def test_the_sampler_says_how_many_samples_a_batch_has(loader: DataLoader, samples: int) -> None:
    sizes = [n for one in loop(loader, None, 0.4) if isinstance(one, Batches) for n in one.samples]
    assert set(sizes) == {samples}
    said = {one[0]: one[1:] for one in parts(loader, None, 0.2, 1)}
    assert said["contents"][0].samples == len(said["batch"][0]) == samples


@pytest.mark.parametrize(
    ("batch", "samples"),
    [
        (torch.zeros(5, 2), 5), ([torch.zeros(5, 2), torch.zeros(5)], 5), ({"x": torch.zeros(9, 2), "a": torch.zeros(5), "b": [1] * 5}, 5),
        ((torch.zeros(3, 8, 8), 1), 1), ([{"x": 1}] * 4, 4), (["a", "b"], 2), ((torch.zeros(6, 2), torch.zeros(4)), 6), ({}, 1), (7, 1),
        ((np.zeros((6, 2)), np.zeros(6), "split"), 6),
    ],
)  # fmt: skip
def test_where_nobody_says_it_most_lengths_do(batch: Any, samples: int) -> None:
    assert samples_in(batch) == samples


def heavy(batch: Any) -> tuple[str, str, int] | None:
    found = heaviest(batch)
    return (found.path, found.why, found.enough) if found else None


def test_the_field_that_is_larger_than_it_need_be_is_named() -> None:
    noise, classes = torch.randn(8, 3, 64, 64), torch.randint(0, 20, (8, 64, 64))
    coded = torch.nn.functional.one_hot(classes, 20).permute(0, 3, 1, 2)
    assert heavy({"x": noise, "mask": coded}) == ("['mask']", "one_hot", 8 * 64 * 64)
    assert heavy((noise, classes)) == ("[1]", "values", 8 * 64 * 64)
    assert heavy((noise, noise.double())) == ("[1]", "double", noise.nbytes)
    pixels = torch.randint(0, 256, (8, 3, 64, 64))
    assert heavy([pixels.div(255), classes.byte()]) == ("[0]", "values", pixels.numel())
    large = torch.randn(100, 3, 64, 64)
    assert heavy((noise, [large[1], large[2]])) == ("[1]", "storage", 2 * 3 * 64 * 64 * 4)
    assert heavy((noise, [[float(n) for n in range(10_000)]])) == ("[1]", "objects", 40_000)
    assert heavy((noise, classes.byte(), ["a"] * 8)) is None


def mask(values: np.ndarray) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.from_numpy(values), 20)  # born here


def sample() -> dict[str, Any]:
    values = np.arange(20)
    crop = torch.zeros(100, 5)[:3]
    coded = mask(values)
    return {"crop": crop, "mask": coded.permute(1, 0), "rows": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("path", "whole", "text"),
    [("['mask']", False, "functional.one"), ("['crop']", True, "[:3]"), ("['rows']", False, "return {")],
)
def test_the_line_that_makes_a_field_is_found(path: str, whole: bool, text: str) -> None:
    place = birthplace(sample, path, whole)
    assert place is not None and text in place.text


def threads() -> set[int]:
    return {n for name, n in pools().items() if name in ("torch", "openblas", "mkl")}


def test_all_pools_have_one_thread_meanwhile() -> None:
    before = pools()
    with limited(1):
        assert threads() == {1}
    assert pools() == before


def test_threads_of_any_library_count_where_they_take_more_than_one_thread_alone() -> None:
    busy = replace(CASES["computing"], busy_threads=4, worker_cpu=0.4, pools=(("openblas", 4),))
    (first, *_others) = decide(busy)
    assert first.name == "fighting_threads" and "threadpool_limits(1)" in str(first.change)
    compile(str(first.change), "advice", "exec")
    assert decide(replace(busy, busy_threads=1))[0].name != "fighting_threads"

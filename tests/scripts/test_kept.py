"""What stays of the samples that are read: which container or cache grows, in which line, and what it weighs."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from loaderlab.scripts.diagnosis.isolated import forks, isolated
from loaderlab.scripts.diagnosis.kept import keeping, weighed

SIZE, SAMPLES = 2**14, 2_000
SEEN: list[torch.Tensor] = []
numbers = count()


def made(_key: Any) -> torch.Tensor:
    return torch.zeros(SIZE // 4)


@lru_cache(None)
def without_end(key: int) -> torch.Tensor:
    return made(key)


@lru_cache(maxsize=16)
def bounded(key: int) -> torch.Tensor:
    return made(key)


def seen(index: int) -> torch.Tensor:
    SEEN.append(made(index))
    return SEEN[-1]


class Reads(Dataset):
    """Reads by a function, and counts, looks up and remembers a little besides."""

    def __init__(self, read: Callable[[int], torch.Tensor] | None = None) -> None:
        self.read, self.names = read, [str(n) for n in range(1000)]
        self.last: OrderedDict[int, str] = OrderedDict()
        self.cache: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> torch.Tensor:
        self.last[index] = self.names[index % 1000]
        if len(self.last) > 20:
            self.last.popitem(last=False)
        if self.read:
            return self.read(index)
        if index not in self.cache:
            self.cache[index] = made(index)
        return self.cache[index]


@pytest.mark.skipif(not forks(), reason="a copy of the process reads")
@pytest.mark.parametrize(
    ("read", "name", "line", "ends"),
    [
        (None, "dataset.cache", "self.cache[index] = made(index), test_kept.py:", True),
        (without_end, "without_end", "@lru_cache(None), test_kept.py:", True),
        (lambda _index: without_end(next(numbers)), "without_end", "@lru_cache(None), test_kept.py:", False),
        (seen, "SEEN", "SEEN.append(made(index)), test_kept.py:", False),
        (made, None, "", False),
        (bounded, None, "", False),
    ],
)
def test_what_grows_is_named_with_its_line(read: Any, name: str | None, line: str, ends: bool) -> None:
    loader = DataLoader(Reads(read), 8, shuffle=True, num_workers=2)
    said = isolated(lambda: keeping(loader, 1.0), 30).said
    assert [one.name for one in said] == [name] * bool(name)
    assert not SEEN and not loader.dataset.cache  # type: ignore[attr-defined]
    for one in said:
        assert one.place.startswith(line)
        assert SIZE < one.each < 1.2 * SIZE and (one.most is not None) == ends
        assert not ends or SIZE * SAMPLES < one.most < 1.2 * SIZE * SAMPLES


def test_objects_are_weighed_in_frames_arrays_and_what_is_nested() -> None:
    names = [str(i) for i in range(100)]
    each = sys.getsizeof("10")
    objects, size = weighed([names] * 10)
    assert objects == 1010 and 1000 * each < size < 1300 * each
    assert weighed(np.array(names, dtype=object))[0] == 100 and weighed(np.zeros(100))[0] == 0
    assert weighed([{"boxes": [0.5 * n] * 8} for n in range(100)])[0] > 800
    pd = pytest.importorskip("pandas")
    names = names * 100
    frame = pd.DataFrame({"name": pd.Series(names, dtype=object), "other": np.zeros(10_000)})
    assert [weighed(each)[0] for each in (frame, frame["name"], frame["other"])] == [10_000, 10_000, 0]
    assert 10_000 * each < weighed(frame)[1] < 10_000 * 2 * (each + 8)

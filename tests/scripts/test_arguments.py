"""What makes no sense is refused at once, in a sentence that names the argument and what it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loaderlab import scripts
from loaderlab.scripts.images import synthetic


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("webdataset")
    place = tmp_path_factory.mktemp("made")
    synthetic(place / "images", 9, 60, 50)
    scripts.pack(place / "images", place / "packed")
    scripts.write_shards(place / "images", place / "shards", 3)
    return place


def of_loaders(name: str, *values: object, **others: object) -> list[tuple[str, Callable[[Path], object]]]:
    """Calls of both loaders with these values."""
    makers: dict[str, Callable[..., Any]] = {"packed": scripts.loader, "shards": scripts.loader_from_shards}
    return [
        (
            f"`{name}`.*{value!r}".replace("(", "\\(").replace(")", "\\)"),
            lambda made, maker=maker, what=what, value=value: maker(
                made / what, **{"workers": 0, **others, name: value}
            ),
        )
        for value in values
        for what, maker in makers.items()
    ]


REFUSED: list[tuple[str, Callable[[Path], object]]] = [
    *of_loaders("batch_size", 0, None, -3, 2.5),
    *of_loaders("size", 0, -1, 2.5),
    *of_loaders("seed", -1),
    *of_loaders("workers", -1, 1.5),
    *of_loaders("prefetch", 0, -1),
    *of_loaders("scale", (1, 0.08), (0, 0), (0.5,), 0.5, (0.1, 2)),
    *of_loaders("ratio", (0, 1), (2, 1), (float("nan"), 1), scale=(0.1, 1)),
    ("`buffer`.*-1", lambda made: scripts.loader_from_shards(made / "shards", workers=0, buffer=-1)),
    ("`batch_size`.*0", lambda _made: scripts.BucketSampler([1] * 9, 0)),
    ("`pool`.*0", lambda _made: scripts.BucketSampler([1] * 9, 2, pool=0)),
    ("`seed`.*-1", lambda _made: scripts.EvenSampler(9, seed=-1)),
    ("`shards`.*0", lambda made: scripts.write_shards(made / "images", made / "new", 0)),
    ("`parts`.*0", lambda made: scripts.pack(made / "images", made / "new", parts=0)),
    ("`shorter`.*0", lambda made: scripts.pack(made / "images", made / "new", shorter=0)),
    ("`batches`.*0", lambda made: scripts.choose_workers(made / "packed", 4, 0)),
]


@pytest.mark.parametrize(
    ("said", "call"), REFUSED, ids=[f"{k} {said}" for k, (said, _call) in enumerate(REFUSED)]
)
def test_what_makes_no_sense_is_refused_by_name(
    made: Path, said: str, call: Callable[[Path], object]
) -> None:
    before = sorted(made.iterdir())
    with pytest.raises(ValueError, match=said):
        call(made)
    assert sorted(made.iterdir()) == before


def test_the_numbers_of_numpy_are_numbers(made: Path) -> None:
    found = scripts.loader(
        made / "packed", np.int64(4), workers=0, size=np.int32(16), scale=[np.float64(0.1), 1]
    )
    assert [len(labels) for _images, labels in found] == [4, 4, 1]


@pytest.mark.parametrize("make", [scripts.loader, scripts.loader_from_shards])
def test_a_state_is_json_also_of_the_numbers_of_numpy(made: Path, make: Callable[..., Any]) -> None:
    folder = made / ("packed" if make is scripts.loader else "shards")
    numbers = {"batch_size": np.int64(4), "seed": np.int64(1)} | (
        {} if make is scripts.loader else {"buffer": np.int64(8)}
    )
    assert json.loads(json.dumps(make(folder, workers=0, **numbers).state_dict()))

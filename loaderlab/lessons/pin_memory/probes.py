"""The probes of lesson 2: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

from loaderlab.exercises.probing import attempt

# ---------------------------------------------------------------- deliver

SHAPE = (3, 16, 16)


def _samples(random: Random, count: int) -> tuple[list[list[int]], list[list[list[float]]]]:
    """Return the pixels of some images, and the boxes of each: none to five of four numbers, which no smaller type than float32 holds."""
    pixels = [[*random.randbytes(math.prod(SHAPE))] for _image in range(count)]
    boxes = [
        [[random.randint(0, 2**20) / 1024 for _side in range(4)] for _box in range(random.randint(0, 5))]
        for _image in range(count)
    ]
    return pixels, boxes


SAMPLES = {"many": _samples(Random(0), 16), "few": _samples(Random(1), 5)}


def probe_deliver(answer: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Return for each batch what arrived on a device that only counts, and the copies and bytes that crossed."""
    import torch

    from loaderlab.lessons.pin_memory import crossing

    def delivered(case: str) -> dict[str, Any]:
        pixels, boxes = SAMPLES[case]
        samples = [
            (torch.tensor(image, dtype=torch.uint8).reshape(SHAPE), torch.tensor(those).reshape(-1, 4))
            for image, those in zip(pixels, boxes, strict=True)
        ]
        with crossing.Crossing() as counted:
            found = answer(samples, crossing.DEVICE)
        evidence: dict[str, Any] = {"copies": counted.copies, "bytes": counted.bytes, "form": False}
        if not isinstance(found, tuple | list) or len(found) != 2 or not isinstance(found[1], tuple | list):
            return evidence
        images, arrived = found
        if not all(isinstance(each, torch.Tensor) for each in (images, *arrived)):
            return evidence
        return evidence | {
            "form": True,
            "there": all(crossing.is_there(each) for each in (images, *arrived)),
            "dtypes": sorted({str(each.dtype) for each in (images, *arrived)}),
            "shape": [*images.shape],
            "images": images.flatten().tolist(),
            "boxes": [each.tolist() for each in arrived],
        }

    return {case: attempt(delivered, case) for case in SAMPLES}


# ---------------------------------------------------------------- PinnableBatch

PLAIN = {"name": "img_7.jpg", "count": 3, "nothing": None, "flag": True}


@contextmanager
def pinning_noted() -> Iterator[list[Any]]:
    """While the body runs, ``Tensor.pin_memory`` makes a copy and notes it; no GPU is needed, none is used."""
    import torch

    made: list[Any] = []

    def pin(tensor: torch.Tensor, *_device: Any) -> torch.Tensor:
        made.append(tensor.clone())
        return made[-1]

    def is_pinned(tensor: torch.Tensor, *_device: Any) -> bool:
        return any(tensor is copy for copy in made)

    with patch.object(torch.Tensor, "pin_memory", pin), patch.object(torch.Tensor, "is_pinned", is_pinned):
        yield made


def contents() -> dict[str, dict[str, Any]]:
    """Batches by name: what a nested batch can hold."""
    import torch

    return {
        "flat": {"images": torch.arange(6.0).reshape(2, 3), "labels": torch.tensor([4, 5])},
        "nested": {
            "boxes": [torch.tensor([1.0]), torch.tensor([2.0, 3.0])],
            "meta": {"sizes": torch.tensor([7, 8]), "deep": [{"mask": torch.tensor([9])}]},
        },
        "tuple": {"pair": (torch.tensor([1]), (torch.tensor([2]), "b"))},
        "others": {**PLAIN, "names": ["a", "b"], "x": torch.tensor([1]), "empty": {}, "none": []},
    }


def described(value: Any, is_pinned: Callable[[Any], bool]) -> Any:
    """Return a batch as plain JSON: kinds of containers, values, and which tensors are pinned."""
    import torch

    if isinstance(value, torch.Tensor):
        return {"tensor": value.tolist(), "pinned": is_pinned(value)}
    if isinstance(value, dict):
        return {"dict": [[str(key), described(item, is_pinned)] for key, item in value.items()]}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [described(item, is_pinned) for item in value]}
    return {"value": value if isinstance(value, str | int | float | None) else type(value).__name__}


def probe_pinnable(answer: type) -> dict[str, Any]:
    """Return for each batch the one that torch's own pin thread would hand on."""
    from torch.utils.data._utils.pin_memory import pin_memory

    evidence: dict[str, Any] = {}
    for name, fields in contents().items():
        with pinning_noted() as made:

            def result(fields: Any = fields, made: list[Any] = made) -> Any:
                handed_on = pin_memory(answer(fields), "cuda")
                if not isinstance(handed_on, answer):
                    return {"kind": type(handed_on).__name__}
                batch: Any = handed_on
                content = described(batch.fields, lambda tensor: any(tensor is copy for copy in made))
                return {"kind": "PinnableBatch", "content": content}

            evidence[name] = attempt(result)
    return evidence


# ---------------------------------------------------------------- DevicePrefetcher

BATCHES = 5


def _on_streams_in_turn(prefetcher: Any, log: Any) -> None:
    """Return a loop that asks for each batch, and computes on it, on another stream than for the one before."""
    from loaderlab.lessons.pin_memory import fake_cuda

    batches, streams = iter(prefetcher), (log.default, fake_cuda.Stream())
    for number in range(2 * BATCHES):
        with streams[number % 2]:
            batch = next(batches, None)
            if batch is None:
                return
            fake_cuda.compute(batch)


def _pass(prefetcher: Any, stop_after: int | None = None) -> tuple[list[int], bool]:
    """Use the batches as a training loop would, each in one step on the current stream."""
    from loaderlab.lessons.pin_memory import fake_cuda

    numbers, on_device = [], True
    for batch in prefetcher:
        found, there = fake_cuda.compute(batch)
        numbers.append(found)
        on_device = on_device and there
        if len(numbers) == stop_after or len(numbers) > 3 * BATCHES:
            break
    return numbers, on_device


def probe_prefetcher(answer: type) -> dict[str, Any]:
    """Return the batches that the loop got, and the operations in the order in which they were asked for."""
    from loaderlab.lessons.pin_memory import fake_cuda

    evidence: dict[str, Any] = {}

    def order(count: int, stop_after: int | None = None) -> Any:
        prefetcher = answer(fake_cuda.batches(count))
        if stop_after is not None:
            _pass(prefetcher, stop_after)
        numbers, on_device = _pass(prefetcher)
        return {"numbers": numbers, "on_device": on_device}

    for name, count, stop in (("all", BATCHES, None), ("one", 1, None), ("none", 0, None), ("again", 3, 1)):
        with fake_cuda.watching():
            evidence[name] = attempt(order, count, stop)
    for name in ("default", "own", "in_turn"):  # the stream on which the loop computes
        with fake_cuda.watching() as log:

            def run(log: Any = log, name: str = name) -> Any:
                prefetcher = answer(fake_cuda.batches(BATCHES))
                if name == "in_turn":
                    _on_streams_in_turn(prefetcher, log)
                else:
                    with fake_cuda.Stream() if name == "own" else log.default:
                        _pass(prefetcher)
                return {
                    "operations": log.operations,
                    "blocking": log.blocking,
                    "records": sorted(map(list, log.records)),
                }

            evidence[name] = attempt(run)
    return evidence

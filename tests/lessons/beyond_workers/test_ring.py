"""The ring of lesson 9, as its cell has it, on a device that reads late: right in every setting, and wrong without its line."""

from __future__ import annotations

import ast
import threading
import time
from contextlib import closing
from itertools import islice
from random import Random
from typing import Any

import pytest
import torch

from loaderlab import course
from loaderlab.lessons.beyond_workers import feeding
from loaderlab.measuring import racing
from loaderlab.publish.source import read

LINE = "self.read[slot].synchronize()"


def ring(without: str = "") -> Any:
    """The class of the lesson's cell, without the lines that have this text."""
    cell = next(
        cell for cell in read(course.lesson("beyond_workers")).cells if "class SlotRing" in cell.source
    )
    lines = [line for line in cell.source.splitlines() if not without or without not in line]
    assert len(lines) == len(cell.source.splitlines()) - bool(without)
    names: dict[str, Any] = {"torch": torch}
    exec(compile(ast.parse("\n".join(lines)), cell.where, "exec"), names)
    return names["SlotRing"]


def arrived(kind: Any, random: Random) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """What arrived of batches that were filled in a ring of a random setting, and the same by plain tensors."""
    slots, count = random.randint(1, 6), random.randint(0, 20)
    shape = tuple(random.randint(1, 5) for _dimension in range(random.randint(1, 3)))
    requests = [random.randint(0, 255) for _request in range(count)]
    hurried = random.random() < 0.9

    def fill(slot: torch.Tensor, request: int) -> None:
        if not hurried:
            time.sleep(0.002 * (request % 3))  # threads are ready in another order
        slot.copy_((request + torch.arange(slot.numel())).reshape(slot.shape) % 256)

    plain = []
    for request in requests:
        fill(batch := torch.empty(shape, dtype=torch.uint8), request)
        plain.append(batch)
    with racing.cuda(random.choice((None, Random(random.random())))):
        found = kind(slots, shape)
        batches = list(found.batches(requests, fill))
        feeding.unregister(found.slots)
    return batches, plain


def test_the_ring_delivers_what_plain_tensors_have_in_300_random_settings() -> None:
    kind = ring()
    for seed in range(300):
        batches, plain = arrived(kind, Random(seed))
        assert len(batches) == len(plain) and all(map(torch.equal, batches, plain)), seed


def test_a_slot_that_is_given_back_too_early_is_caught() -> None:
    kind = ring(without=LINE)
    caught = 0
    for seed in range(100):
        batches, plain = arrived(kind, Random(seed))
        caught += not all(map(torch.equal, batches, plain))
    assert caught > 50


@pytest.mark.parametrize(("without", "wrong", "waits"), [("", 0, True), (LINE, 9, False)])
def test_of_twelve_batches_in_three_slots_nine_are_overwritten_without_the_line(
    without: str, wrong: int, waits: bool
) -> None:
    with racing.cuda() as device:
        batches = list(ring(without)(3, (1000,)).batches(range(12), torch.Tensor.fill_))
        torch.cuda.synchronize()
    assert sum(bool((batch != number).any()) for number, batch in enumerate(batches)) == wrong
    assert (device.waits > 0) is waits  # one wait may serve two threads


def test_no_thread_of_the_ring_is_left_after_a_break_or_an_error() -> None:
    before = set(threading.enumerate())

    def broken(_slot: torch.Tensor, request: int) -> None:
        if request == 4:
            raise ValueError("damaged")

    with racing.cuda():
        found = ring()(3, (10,))
        with closing(found.batches(range(100), torch.Tensor.fill_)) as batches:
            assert len(list(islice(batches, 2))) == 2
        with pytest.raises(ValueError, match="damaged"):
            list(found.batches(range(100), broken))
    assert set(threading.enumerate()) == before

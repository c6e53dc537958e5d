"""The pin thread without an accelerator: torch's own, and nothing of the stand-in is left afterwards."""

from __future__ import annotations

import threading

import pytest
import torch
from torch.utils import data

from loaderlab.data import ZerosDataset
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.measuring import pinning

NBYTES = 1000


@pytest.fixture(autouse=True)
def english():
    language.use("en")


def loader(**options):
    return data.DataLoader(ZerosDataset(32, NBYTES), 2, num_workers=2, timeout=30, **options)


@pytest.mark.parametrize(("prefetch", "held"), [(1, 1), (2, 1), (2, 3)])
def test_what_is_on_order_and_what_is_held_is_pinned(prefetch, held):
    with pinning.pin_thread() as thread:
        iterator = iter(loader(pin_memory=True, prefetch_factor=prefetch))
        kept = [next(iterator) for _ in range(held)]
        assert thread.settled(2 * prefetch + held) == [2 * NBYTES] * (2 * prefetch + held)
        assert not kept[0].is_shared()
        del iterator, kept
        assert thread.settled(0) == []


def test_how_many_copies_there_are_in_the_end_need_not_be_known():
    with pinning.pin_thread() as thread:
        iterator = iter(loader(pin_memory=True, prefetch_factor=2))
        held = next(iterator)
        assert len(thread.settled()) == 5
        del iterator, held


def test_the_thread_waits_while_it_is_held_up_and_goes_on_afterwards():
    with pinning.pin_thread() as thread:
        thread.hold_up()
        iterator = iter(loader(pin_memory=True))
        assert thread.settled(1, seconds=1) == []
        thread.go_on()
        assert len(thread.settled(4)) == 4
        del iterator


def test_all_batches_arrive_in_their_order():
    with pinning.pin_thread():
        numbers = torch.arange(40)
        batches = list(
            data.DataLoader(data.TensorDataset(numbers), 4, num_workers=2, pin_memory=True, timeout=30)
        )
    assert torch.equal(torch.cat([batch for (batch,) in batches]), numbers)


def test_afterwards_all_is_as_it_was_even_after_an_error():
    def state():
        accelerator = {
            name: getattr(torch.accelerator, name) for name in ("is_available", "set_device_index")
        }
        return accelerator, "pin_memory" in vars(torch.Tensor), data._utils.pin_memory._pin_memory_loop

    before, threads = state(), torch.get_num_threads()
    with pytest.raises(KeyError), pinning.pin_thread() as thread:
        iterator = iter(loader(pin_memory=True))
        next(iterator)
        thread.hold_up()
        del iterator
        raise KeyError
    assert state() == before and torch.get_num_threads() == threads
    assert not [t for t in threading.enumerate() if "_pin_memory_loop" in t.name]


def test_a_torch_without_such_a_thread_is_named(monkeypatch):
    monkeypatch.delattr(data._utils.pin_memory, "_pin_memory_loop")
    with pytest.raises(LabError, match=r"PyTorch \S+ started no pin thread"), pinning.pin_thread():
        pytest.fail("There is none.")


def test_a_loader_that_starts_no_thread_is_not_taken_for_one_that_pins_nothing():
    with pinning.pin_thread() as thread:
        list(loader(pin_memory=False))
        with pytest.raises(LabError, match="no pin thread"):
            thread.pinned()

"""A device that copies as late as it may: what is registered is read later, everything else at once."""

from __future__ import annotations

import pytest
import torch

from loaderlab.measuring import racing


def registered(memory: torch.Tensor) -> torch.Tensor:
    torch.cuda.check_error(torch.cuda.cudart().cudaHostRegister(memory.data_ptr(), memory.nbytes, 0))
    return memory


def test_registered_memory_is_read_when_somebody_waits_and_other_memory_at_once() -> None:
    with racing.cuda() as device:
        pageable, pinned = torch.ones(8), registered(torch.ones(8))
        sent = [memory.to("cuda", non_blocking=True) for memory in (pageable, pinned)]
        assert device.waits == 1  # for the pageable one
        pageable.zero_(), pinned.zero_()
        torch.cuda.synchronize()
    assert [int(each.sum()) for each in sent] == [8, 0]


def test_a_copy_that_blocks_is_over_when_it_returns() -> None:
    with racing.cuda():
        pinned = registered(torch.ones(8))
        sent = pinned.to("cuda")
        pinned.zero_()
    assert int(sent.sum()) == 8


def test_an_event_has_passed_when_all_before_it_is_made_and_nothing_behind_it() -> None:
    with racing.cuda() as device:
        memory = registered(torch.ones(2, 8))
        events = []
        for row in memory:
            sent = row.to("cuda", non_blocking=True)
            events.append(torch.cuda.Event())
            events[-1].record()
        assert not events[0].query()
        events[0].synchronize()
        assert [event.query() for event in events] == [True, False]
        events[0].synchronize()
        assert device.waits == 1 and int((memory[1] == sent).sum()) < 8


def test_memory_that_is_not_registered_cannot_be_given_back_and_afterwards_nothing_is_replaced() -> None:
    to, event = torch.Tensor.to, torch.cuda.Event
    with racing.cuda(), pytest.raises(RuntimeError, match="CUDA error"):
        torch.cuda.check_error(torch.cuda.cudart().cudaHostUnregister(torch.ones(8).data_ptr()))
    assert torch.Tensor.to is to and torch.cuda.Event is event
    assert torch.ones(2).to(torch.int64).dtype == torch.int64

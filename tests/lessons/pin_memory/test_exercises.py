"""Lesson 2: what stands in for CUDA while a probe runs (answers: the bench)."""

import pytest
import torch

from answers import solution
from loaderlab.lessons.pin_memory import fake_cuda, probes
from loaderlab.lessons.pin_memory.crossing import DEVICE, Crossing, is_there


def test_probing_leaves_torch_as_it_was():
    before = (torch.cuda.Stream, torch.cuda.current_stream, torch.cuda.is_available, torch.Tensor.pin_memory)
    probes.probe_prefetcher(solution("pin_memory", "DevicePrefetcher").made)
    probes.probe_pinnable(solution("pin_memory", "PinnableBatch").made)
    probes.probe_deliver(solution("pin_memory", "deliver").made)
    assert before == (
        torch.cuda.Stream,
        torch.cuda.current_stream,
        torch.cuda.is_available,
        torch.Tensor.pin_memory,
    )


def test_a_stream_wait_covers_what_was_enqueued_before_it_and_nothing_later():
    with fake_cuda.watching() as log:
        side = fake_cuda.Stream()
        with fake_cuda._stream(side):
            log.enqueue("copy", 0)
        log.default.wait_stream(side)
        with fake_cuda._stream(side):
            log.enqueue("copy", 1)
        log.enqueue("step", 0)
    assert log.operations[2]["after"] == [0]


IMAGE = torch.arange(6, dtype=torch.uint8)  # 6 bytes, and 24 as floats


@pytest.mark.parametrize(
    ("send", "crossed"),
    [
        (lambda: IMAGE.to(DEVICE), 6),
        (lambda: IMAGE.cuda().to(DEVICE), 6),  # the second one is there already
        (lambda: IMAGE.to(DEVICE, torch.float32), 24),  # a blocking copy converts before
        (lambda: IMAGE.to(DEVICE, torch.float32, non_blocking=True), 6),
        (lambda: torch.empty(6, device=DEVICE).copy_(IMAGE), 24),
        (lambda: torch.tensor([1.0, 2.0], device=DEVICE), 8),
        (lambda: torch.zeros(6, device=DEVICE), 0),
    ],
)
def test_what_crosses_is_counted_as_cuda_would_send_it(send, crossed):
    with Crossing() as counted:
        sent = send()
        assert sent.is_cuda and sent.device.type == "cuda" and not IMAGE.is_cuda
    assert is_there(sent) and counted.bytes == crossed and counted.copies == (crossed > 0)


def test_what_is_computed_on_the_device_stays_there():
    with Crossing() as counted:
        first, second = (IMAGE.to(DEVICE) / 255).split([2, 4])
        assert is_there(first) and is_there(second[0]) and not is_there(first.cpu())
        with pytest.raises(RuntimeError, match="same device"):
            first + IMAGE[:2]
    assert counted.copies == 1 and IMAGE.tolist() == [0, 1, 2, 3, 4, 5]

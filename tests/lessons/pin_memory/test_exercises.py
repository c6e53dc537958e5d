"""Lesson 2: what stands in for CUDA while a probe runs (answers: the bench)."""

import torch

from answers import solution
from loaderlab.lessons.pin_memory import fake_cuda, probes


def test_probing_leaves_torch_as_it_was():
    before = (torch.cuda.Stream, torch.cuda.current_stream, torch.cuda.is_available, torch.Tensor.pin_memory)
    probes.probe_prefetcher(solution("pin_memory", "DevicePrefetcher").made)
    probes.probe_pinnable(solution("pin_memory", "PinnableBatch").made)
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

"""The loop of the model, run for real on a CUDA device, with events around every copy and every step."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from loaderlab.lessons.pin_memory.model import MIB, Run, Setting, Span
from loaderlab.measuring.attempts import attempt
from loaderlab.measuring.measure import compare

STEPS = 8
SIDE = 1024  # of the matrices that a step multiplies
MOST = 2000  # products in one step
SOME = 5  # products that are timed together: the first one waits for its launch
REPEATS = 3
WARM_UP_S = 0.2  # an idle GPU lowers its clock, and needs work before it raises it again


def run_for_real(asked: Setting) -> tuple[Setting, Run]:
    """Return the setting with this machine's own rates and step, and what happened in the loop."""
    pageable = [torch.ones(int(asked.batch_mib * MIB), dtype=torch.uint8) for _ in range(2)]
    pinned = [batch.pin_memory() for batch in pageable]
    step = computation(asked.step_ms)
    sample = torch.zeros(1, dtype=torch.uint8, device="cuda")
    setting = replace(
        asked,
        link_gb=pinned[0].numel() / _copy_ms(pinned[0]) / 1e6,
        staging_gb=pageable[0].numel() / _copy_ms(pageable[0]) / 1e6,
        step_ms=milliseconds(lambda: step(sample)),
    )
    batches = pinned if setting.pinned else pageable
    _loop(setting, batches, step, steps=2)  # warms up memory and kernels
    return setting, _loop(setting, batches, step, STEPS)


def each_way(
    clocks: Callable[[Callable[[], torch.Tensor], torch.Tensor], tuple[float, float]],
    largest_mib: int,
    threads: int,
) -> Generator[dict[str, Any], None, float]:
    """Yield a row for each size, way to send it, and repeat; return the best GB/s from pinned memory, by events.

    ``clocks(prepare, target)`` are ms by the host's clock and by events, for what ``prepare`` returns. Pinning on the fly has
    ``threads`` of PyTorch's, all else one.
    """
    torch.set_num_threads(threads)
    best = 0.0
    for mib in sizes(largest_mib):  # in no order: what warms up falls on all
        with attempt(mib):  # a size that fails costs no rows of the others
            pageable = torch.ones(int(mib * MIB), dtype=torch.uint8)
            target = torch.empty_like(pageable, device="cuda")
            first = {"first_time": [clocks(pageable.pin_memory, target)]}
            pinned = pageable.pin_memory()
            ways = {
                "pageable": partial(_same, pageable),
                "pinned": partial(_same, pinned),
                "on_the_fly": pageable.pin_memory,
            }
            timed = {name: partial(_shortest, clocks, way, target) for name, way in ways.items()}
            for name, times in (compare(timed, repeats=3, warmup=1) | first).items():
                for host_ms, events_ms in times:
                    rate = mib * MIB / host_ms / 1e6
                    yield {
                        "variant": name,
                        "mib": mib,
                        "events_ms": events_ms,
                        "host_ms": host_ms,
                        "gb_per_s": rate,
                    }
                    best = max(best, mib * MIB / events_ms / 1e6 if name == "pinned" else 0)
    torch.set_num_threads(1)
    return best


def _same(batch: torch.Tensor) -> torch.Tensor:
    return batch


def _shortest(
    clocks: Callable[[Callable[[], torch.Tensor], torch.Tensor], tuple[float, float]],
    way: Callable[[], torch.Tensor],
    target: torch.Tensor,
) -> tuple[float, float]:
    """Return the shortest of three tries, by the host's clock: a small copy is over sooner than a sleeping host wakes up."""
    return min(clocks(way, target) for _ in range(3))


def sizes(largest_mib: int) -> list[float]:
    """Return the sizes to send, in MiB: 4 KiB, 8 KiB … in random order, after the link has been woken."""
    _wake_link()
    powers = [2.0**power for power in range(-8, 40) if 2.0**power <= largest_mib]
    return random.Random(0).sample(powers, len(powers))


def _wake_link() -> None:
    """Copy to the GPU for a while: the link of an idle one may have been slowed down, too.

    From pageable memory: no pinned block of this size is left behind, which a measurement would find ready.
    """
    source = torch.zeros(64 * MIB, dtype=torch.uint8)
    began = time.perf_counter()
    while time.perf_counter() - began < WARM_UP_S:
        source.to("cuda")
        torch.cuda.synchronize()


def _mark(stream: Any) -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record(stream)
    return event


def milliseconds(action: Callable[[], Any]) -> float:
    """Return the milliseconds of what ``action`` enqueues, by events: the median of some runs, after one to warm up."""
    stream = torch.cuda.current_stream()
    action()
    torch.cuda.synchronize()
    times = []
    for _ in range(REPEATS):
        start = _mark(stream)
        action()
        end = _mark(stream)
        end.synchronize()
        times.append(start.elapsed_time(end))
    return max(statistics.median(times), 1e-3)


def each_missing(
    pipeline: Callable[..., Iterator[tuple[str, int, Any, Any]]], mib: int, steps: int
) -> Iterator[dict[str, Any]]:
    """Yield what ``pipeline(batches, (copy stream, non_blocking), compute)`` did and when: with all ingredients, and without each.

    Batches of ``mib`` MiB, pinned before the clock starts, and a step about as long as their transfer.
    """
    pageable = [torch.ones(mib * MIB, dtype=torch.uint8) for _ in range(steps)]
    pinned = [batch.pin_memory() for batch in pageable]
    compute = computation(_copy_ms(pinned[0]))
    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    variants = {
        "complete": (pinned, (side, True)),
        "pageable_source": (pageable, (side, True)),
        "default_stream": (pinned, (main, True)),
        "blocking": (pinned, (side, False)),
    }
    for turn in ("warmup", "measure"):
        for name, (batches, copying) in variants.items():
            with attempt(name):
                torch.cuda.synchronize()
                begin = _mark(main)
                done = list(pipeline(batches, copying, compute))
                torch.cuda.synchronize()
                for kind, number, start, end in done if turn == "measure" else ():
                    yield {
                        "variant": name,
                        "track": {"transfer": "link", "compute": "device"}[kind],
                        "kind": kind,
                        "label": number,
                        "start_ms": begin.elapsed_time(start),
                        "end_ms": begin.elapsed_time(end),
                    }


def pinned_bytes() -> int:
    """Return the bytes of the pinned blocks that tensors of this process use, as PyTorch's allocator counts them."""
    stats = torch.cuda.host_memory_stats()
    older = "allocated_bytes.current"  # its name in PyTorch 2.9
    return int(stats["active_bytes.current"] if "active_bytes.current" in stats else stats[older])


def ms_per_step(
    batches: Iterable[Sequence[torch.Tensor]], compute: Callable[[torch.Tensor], torch.Tensor]
) -> float:
    """Return the milliseconds per step of a loop that reads the loss in every step; batches of one tensor."""
    torch.cuda.synchronize()
    started = time.perf_counter()
    losses = [compute(batch).item() for (batch,) in batches]
    return 1000 * (time.perf_counter() - started) / max(1, len(losses))


def _copy_ms(batch: torch.Tensor) -> float:
    target = torch.empty(batch.numel(), dtype=torch.uint8, device="cuda")
    return milliseconds(lambda: target.copy_(batch, non_blocking=True))


def computation(lasting_ms: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a step of about ``lasting_ms``: so many products of matrices, and one number that depends on the batch."""
    weights = torch.eye(SIDE, device="cuda")

    def some() -> None:
        for _ in range(SOME):
            weights @ weights

    began = time.perf_counter()
    while time.perf_counter() - began < WARM_UP_S:
        some()
        torch.cuda.synchronize()
    some_ms = milliseconds(some)
    count = min(MOST, max(1, round(SOME * lasting_ms / some_ms)))

    def step(batch: torch.Tensor) -> torch.Tensor:
        product = weights
        for _ in range(count):
            product = product @ weights
        return product[0, 0] + batch[0]

    return step


def _loop(
    setting: Setting, batches: list[torch.Tensor], step: Callable[[torch.Tensor], torch.Tensor], steps: int
) -> Run:
    main = torch.cuda.current_stream()
    side = torch.cuda.Stream() if setting.second_stream else main
    noted: list[tuple[str, str, int, Any, Any]] = []  # row, kind, batch, and two events or two host times
    torch.cuda.synchronize()
    begin, zero = _mark(main), time.perf_counter()

    def host(kind: str, batch: int, started: float) -> None:
        noted.append(("host", kind, batch, 1000 * (started - zero), 1000 * (time.perf_counter() - zero)))

    def send(batch: int) -> tuple[torch.Tensor, Any]:
        started = time.perf_counter()
        with torch.cuda.stream(side):
            start = _mark(side)
            sent = batches[batch % len(batches)].to("cuda", non_blocking=setting.non_blocking)
            end = _mark(side)
        noted.append(("link", "transfer", batch, start, end))
        if not (setting.pinned and setting.non_blocking):
            host("blocked" if setting.pinned else "staging", batch, started)
        return sent, end

    ahead = send(0)
    for batch in range(steps):
        sent, copied = ahead
        if batch + 1 < steps:
            ahead = send(batch + 1)
        main.wait_event(copied)
        start = _mark(main)
        loss = step(sent)
        noted.append(("device", "step", batch, start, _mark(main)))
        sent.record_stream(main)
        if setting.read_loss:
            started = time.perf_counter()
            loss.item()
            host("loss", batch, started)
    torch.cuda.synchronize()

    def at(moment: Any) -> float:
        return moment if isinstance(moment, float) else begin.elapsed_time(moment)

    spans = [Span(row, kind, at(start), at(end), batch) for row, kind, batch, start, end in noted]
    return Run(spans, [span.end for span in spans if span.row == "device"])

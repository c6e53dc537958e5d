"""A model of the way from the CPU's memory to the GPU: how long a transfer takes, and which steps overlap.

Transfers. ``n`` bytes cross the link in ``n / link`` from pinned memory. From pageable memory the driver
first copies them into a pinned buffer of its own (staging), piece by piece, so that they take about ``n / min(staging, link)``.
``staging`` is no rate of a copy from memory to memory: the driver's buffer is small and stays in the cache. On the machine
with an H200, 10 to 16 GB/s came through from 1 MiB on, where a core's copy made 6.6.

The loop of the timeline sends one batch ahead, as ``DevicePrefetcher`` does::

    send(batch 0)
    for each step i:
        send(batch i + 1)        # batch.to("cuda"), on the second stream if there is one
        launch(step i)           # which waits on the device for copy i only
        loss.item()              # if the loss is read: the host waits for step i

What is assumed of CUDA ("API synchronization behavior" in NVIDIA's documentation of the runtime, and
PyTorch's ``aten/src/ATen/native/cuda/Copy.cu``):

- Operations of one stream run one after the other; copy and computation of two streams run at the same
  time (one copy engine is free).
- A pinned copy with ``non_blocking=True`` only enqueues; without it, PyTorch synchronises the stream of the
  copy, so that the host waits until the copy has ended.
- A pageable copy blocks the host whatever ``non_blocking`` says: CUDA first waits for the stream of the copy,
  then stages. The documents only say that it may; the model takes it that it does. The wait is for that one
  stream: steps that were launched before on another stream go on meanwhile.
- Pinned batches come from the pin thread of the loader. It fetches, maps, copies, unmaps and frees one after the other,
  at the rate ``pin``, at most ``AHEAD`` batches ahead of the loop. The workers themselves are always ready.
- Without the pin thread the host receives a pageable batch before it stages it: it fetches and maps this one, and frees the one
  before. A batch that lies in this process already costs none of that.
- Launching costs nothing, and nothing but this loop uses the link or the host's memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise

MIB = 2**20
INGREDIENTS = ("pinned", "non_blocking", "second_stream")
AHEAD = 4  # batches that the pin thread may be ahead of the loop: 2 workers with `prefetch_factor=2`
LATENCY_MS = 0.025  # fixed cost of one copy in the curves; the host of an H200 saw 0.023 to 0.028


def paper_rate(gigatransfers: float, lanes: int = 16) -> float:
    """GB/s of a PCIe link (generation 3 and later) on paper: one bit per transfer and lane, 128 of 130 are data."""
    return gigatransfers * lanes * 128 / 130 / 8


# In practice a link reaches about four fifths of that, or a little more: the packets have headers too. An H200 on PCIe 5
# received 55 of 63 GB/s.
LINKS = {
    "PCIe 3 x16": round(0.8 * paper_rate(8), 1),
    "PCIe 4 x16": round(0.8 * paper_rate(16), 1),
    "PCIe 5 x16": round(0.8 * paper_rate(32), 1),
}


def milliseconds(mib: float, gb_per_s: float) -> float:
    """Return how many ms ``mib`` MiB take at ``gb_per_s`` GB/s (10^9 bytes per second)."""
    return mib * MIB / gb_per_s / 1e6


def curves(link_gb_per_s: float, worker_gb_per_s: float) -> Iterator[dict[str, float | str]]:
    """Yield rows of GB/s against MiB, 4 KiB to 256 MiB: memory pinned beforehand, and a loader's pinned batches at best.

    ``worker_gb_per_s`` is the rate at which a core copies a batch from a worker, which is a part of what the pin thread does.
    """
    for power in range(-8, 9):
        mib = 2.0**power
        link = milliseconds(mib, link_gb_per_s)
        times = {"pinned": link, "by_the_loader": max(milliseconds(mib, worker_gb_per_s), link)}
        for variant, time in times.items():
            yield {"variant": variant, "mib": mib, "gb_per_s": mib * MIB / (time + LATENCY_MS) / 1e6}


@dataclass(frozen=True)
class Setting:
    """The setting of the sliders: sizes in MiB, rates in GB/s, times in ms."""

    batch_mib: float = 12
    link_gb: float = 25
    staging_gb: float = 10
    pin_gb: float = 3
    receive_ms_per_mib: float = 0
    step_ms: float = 5
    pinned: bool = True
    non_blocking: bool = True
    second_stream: bool = True
    read_loss: bool = True

    @property
    def staging_ms(self) -> float:
        """The driver's copy of a pageable batch."""
        return milliseconds(self.batch_mib, self.staging_gb)

    @property
    def receive_ms(self) -> float:
        """The time that the host takes to receive a pageable batch from a worker."""
        return self.batch_mib * self.receive_ms_per_mib

    @property
    def pin_ms(self) -> float:
        """The pin thread's work on one batch."""
        return milliseconds(self.batch_mib, self.pin_gb)

    @property
    def link_ms(self) -> float:
        """One batch over the link."""
        return milliseconds(self.batch_mib, self.link_gb)


@dataclass(frozen=True)
class Span:
    """``row`` ("host", "pin_thread", "link", "device") is busy with ``kind`` for batch ``batch``."""

    row: str
    kind: str
    start: float
    end: float
    batch: int


@dataclass
class Run:
    """The events of a run: spans in ms, and the end of each step."""

    spans: list[Span] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    @property
    def ms_per_step(self) -> float:
        """Time per step once the start is over; the last step, beside which nothing is sent, does not count."""
        last, half = len(self.ends) - 2, len(self.ends) // 2 - 1
        return (self.ends[last] - self.ends[half]) / (last - half)

    def waits(self) -> list[tuple[float, float]]:
        """Return the spans, in ms, in which the device waits between steps, and before the first."""
        steps = [(0.0, 0.0), *((s.start, s.end) for s in self.spans if s.row == "device")]
        return [(end, start) for (_s, end), (start, _e) in pairwise(steps) if start - end > 1e-9]


def simulate(setting: Setting, steps: int = 6) -> Run:
    """Simulate the loop of the module's docstring, for ``steps`` steps."""
    return _Loop(setting).run(steps)


class _Loop:
    """Clocks in ms: the host, the link, the pin thread, and the end of what each stream has to do."""

    def __init__(self, setting: Setting) -> None:
        self.s, self.out = setting, Run()
        self.host = self.link = self.pinning = self.compute = self.stream = 0.0
        self.copied: list[float] = []
        self.taken: list[float] = []

    def run(self, steps: int) -> Run:
        self.send(0)
        for batch in range(steps):
            if batch + 1 < steps:
                self.send(batch + 1)
            self.launch(batch)
        return self.out

    def note(self, row: str, kind: str, start: float, end: float, batch: int) -> None:
        if end - start > 1e-9:
            self.out.spans.append(Span(row, kind, start, end, batch))

    def send(self, batch: int) -> None:
        if self.s.pinned:
            self.take_pinned(batch)
        else:
            self.note("host", "receiving", self.host, self.host + self.s.receive_ms, batch)
            self.host += self.s.receive_ms
        self.taken.append(self.host)
        asked = self.host
        start = max(asked, self.link, self.stream)
        end = start + (self.s.link_ms if self.s.pinned else max(self.s.staging_ms, self.s.link_ms))
        if not self.s.pinned:
            self.note("host", "blocked", asked, start, batch)
            self.note("host", "staging", start, end, batch)
            self.host = end
        elif not self.s.non_blocking:
            self.note("host", "blocked", asked, end, batch)
            self.host = end
        self.note("link", "transfer", start, end, batch)
        self.link = end
        self.copied.append(end)
        self.stream = end

    def take_pinned(self, batch: int) -> None:
        """Let the host take a batch from the pin thread, and wait if that has not finished it."""
        room = self.taken[batch - AHEAD] if batch >= AHEAD else 0.0
        start = max(self.pinning, room)
        self.pinning = start + self.s.pin_ms
        self.note("pin_thread", "pinning", start, self.pinning, batch)
        self.note("host", "blocked", self.host, self.pinning, batch)
        self.host = max(self.host, self.pinning)

    def launch(self, batch: int) -> None:
        start = max(self.host, self.compute, self.copied[batch])
        if not self.s.second_stream:
            start = max(start, self.stream)  # behind everything enqueued so far
        self.compute = start + self.s.step_ms
        if not self.s.second_stream:
            self.stream = self.compute
        self.note("device", "step", start, self.compute, batch)
        self.out.ends.append(self.compute)
        if self.s.read_loss:
            self.note("host", "loss", self.host, self.compute, batch)
            self.host = self.compute


LONG = 48  # steps from which the pace is taken


def pace(setting: Setting) -> float:
    """Return the milliseconds per step in a long run."""
    return simulate(setting, LONG).ms_per_step


def missing(setting: Setting) -> tuple[str, ...]:
    """Return the fewest ingredients that, added to those there, make the loop as fast as it can be; empty: none helps."""
    off = [name for name in INGREDIENTS if not getattr(setting, name)]
    sets = [chosen for size in range(len(off) + 1) for chosen in combinations(off, size)]
    paces = {chosen: pace(replace(setting, **dict.fromkeys(chosen, True))) for chosen in sets}
    best = min(paces.values())
    return next(chosen for chosen in sets if paces[chosen] <= 1.005 * best)

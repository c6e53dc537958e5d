"""A model of who is idle: the cores, who carries a batch to the device, or the device.

A batch passes three places, which work on different batches at the same time:

- **the cores** decode and augment what the device does not. Workers share them; so do threads, and what these do with the
  interpreter's lock, one thread does after the other;
- **a pin thread**, if there is one, copies each batch from a worker into pinned memory;
- **the loop** takes a batch, sends it, and launches the device's work: to decode, to augment, the step. All of that goes into one
  stream, so the link and the device take turns (lesson 2 says what a second stream changes).

The slowest of the three sets the pace. What the device does beside the step is added to the step: it has one queue.

Who carries what costs (`CARRIERS`) is fitted to single readings of ready bytes on one machine with a GPU, 12 workers, batches of 64 and 256
pictures, steps of 1 and 3 ms; a test holds the model to them. What takes a ring its 0.5 ms, those readings do not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

AHEAD = 4  # batches that the cores may be ahead of the loop
LONG = 60  # batches from which the pace is taken
LITTLE = 0.02  # of the time: no wait worth a word


@dataclass(frozen=True)
class Carrier:
    """The cost of bringing a batch to the link: so many ms, and its bytes at so many GB/s; ``beside``: in a thread, not in the loop.

    ``link_gb`` is the most that the link carries from this memory, in GB/s: a pageable batch is staged.
    """

    fixed_ms: float
    gb_per_s: float
    beside: bool = False
    link_gb: float = float("inf")


CARRIERS = {
    "loop": Carrier(1.5, 3.5, link_gb=11),  # receives it from a worker: pageable
    "pin_thread": Carrier(1.5, 2.2, beside=True),
    "registered": Carrier(0.5, 16),  # a ring of slots, pinned once
}


@dataclass(frozen=True)
class Setting:
    """The setting of the sliders. ``…_ms`` of the cores are for a sample on one core, of the device for a batch."""

    batch: int = 64
    cores: int = 16
    threads: bool = False
    locked_ms: float = (
        0.0  # of a sample's time on a core, what holds the interpreter's lock; counts for threads
    )
    decode_ms: float = 1.3
    augment_ms: float = 6.8
    device_decode_ms: float = 2.8
    device_augment_ms: float = 1.9
    decode_on_device: bool = False
    augment_on_device: bool = False
    carrier: str = "registered"
    jpeg_kb: float = 25.0
    pixels_kb: float = 150.0  # what a sample has once it is decoded
    link_gb: float = 25.0
    step_ms: float = 3.0

    @property
    def core_ms(self) -> float:
        """Milliseconds of one core for a sample."""
        decoding = 0.0 if self.decode_on_device else self.decode_ms
        augmenting = 0.0 if self.augment_on_device or self.decode_on_device else self.augment_ms
        return decoding + augmenting

    @property
    def cores_ms(self) -> float:
        """Milliseconds of all cores for a batch; of threads, at least what one after the other does."""
        shared = self.batch * self.core_ms / self.cores
        return max(shared, self.batch * min(self.locked_ms, self.core_ms)) if self.threads else shared

    @property
    def sent_mb(self) -> float:
        """Megabytes of a batch that cross the link."""
        return self.batch * (self.jpeg_kb if self.decode_on_device else self.pixels_kb) / 1000

    @property
    def carrying_ms(self) -> float:
        """Milliseconds for bringing a batch to the link. What threads have made lies in this process already: only pinning is left."""
        carrier = CARRIERS[self.carrier]
        if self.threads and self.carrier == "loop":
            return 0.0
        return carrier.fixed_ms + self.sent_mb / carrier.gb_per_s

    @property
    def pinning_ms(self) -> float:
        """Milliseconds of the pin thread for a batch; 0 without one."""
        return self.carrying_ms if CARRIERS[self.carrier].beside else 0.0

    @property
    def receiving_ms(self) -> float:
        """Milliseconds of the loop for a batch, before it is sent."""
        return 0.0 if CARRIERS[self.carrier].beside else self.carrying_ms

    @property
    def link_ms(self) -> float:
        """Milliseconds of a batch over the link."""
        return self.sent_mb / min(self.link_gb, CARRIERS[self.carrier].link_gb)

    @property
    def work_ms(self) -> float:
        """Milliseconds of the device for a batch beside the step. Who decodes there augments there, too: the pixels are there."""
        decoding = self.device_decode_ms if self.decode_on_device else 0.0
        augmenting = self.device_augment_ms if self.augment_on_device or self.decode_on_device else 0.0
        return decoding + augmenting

    @property
    def loop_ms(self) -> float:
        """Milliseconds of one turn of the loop with batches that are always there."""
        return self.receiving_ms + self.link_ms + self.work_ms + self.step_ms


def pace(setting: Setting) -> float:
    """Return the milliseconds of a turn in the long run: what the slowest of cores, pin thread and loop takes."""
    return max(setting.cores_ms, setting.pinning_ms, setting.loop_ms)


def rate(setting: Setting) -> float:
    """Return the samples/s in the long run."""
    return 1000 * setting.batch / pace(setting)


def slowest(setting: Setting) -> str:
    """Return who sets the pace: "cores", "pin_thread" or "loop"."""
    times = {"loop": setting.loop_ms, "cores": setting.cores_ms, "pin_thread": setting.pinning_ms}
    return max(times, key=times.__getitem__)


@dataclass(frozen=True)
class Span:
    """``row`` ("cores", "pin_thread", "loop", "link", "device") is busy with ``kind`` for batch ``batch``, or waits."""

    row: str
    kind: str
    start: float
    end: float
    batch: int


@dataclass
class Run:
    """The spans of a run, in ms."""

    spans: list[Span] = field(default_factory=list)

    def of(self, row: str) -> list[Span]:
        """Return the spans of this row, in order."""
        return [span for span in self.spans if span.row == row]

    def gaps(self, row: str) -> Iterator[tuple[float, float]]:
        """Yield when this row has nothing to do, from the beginning to its last span."""
        ends = [0.0, *(span.end for span in self.of(row))]
        for end, span in zip(ends, self.of(row), strict=False):
            if span.start - end > 1e-9:
                yield end, span.start

    @property
    def ms_per_turn(self) -> float:
        """Milliseconds of a turn once the start is over."""
        ends = [span.end for span in self.spans if span.kind == "step"]
        half = len(ends) // 2
        return (ends[-1] - ends[half - 1]) / (len(ends) - half)


def simulate(setting: Setting, batches: int = 6) -> Run:
    """Simulate so many batches through the three places."""
    run = Run()
    made = pinned = looped = 0.0
    taken: list[float] = []

    def note(row: str, kind: str, start: float, lasts: float, batch: int) -> float:
        if lasts > 1e-9:
            run.spans.append(Span(row, kind, start, start + lasts, batch))
        return start + lasts

    for batch in range(batches):
        room = taken[batch - AHEAD] if batch >= AHEAD else 0.0
        made = note("cores", "making", max(made, room), setting.cores_ms, batch)
        pinned = note("pin_thread", "pinning", max(made, pinned), setting.pinning_ms, batch)
        at = max(looped, pinned)
        taken.append(at)
        at = note("loop", "receiving", at, setting.receiving_ms, batch)
        at = note("link", "sending", at, setting.link_ms, batch)
        at = note(
            "device", "decoding", at, setting.device_decode_ms if setting.decode_on_device else 0.0, batch
        )
        augmenting = setting.work_ms - (setting.device_decode_ms if setting.decode_on_device else 0.0)
        at = note("device", "augmenting", at, augmenting, batch)
        looped = note("device", "step", at, setting.step_ms, batch)
    return run


def idle_shares(setting: Setting) -> dict[str, float]:
    """Return of the cores and the device the share of a long run, from 0 to 1, in which they have nothing to do."""
    turn = pace(setting)
    return {"cores": 1 - setting.cores_ms / turn, "device": 1 - (setting.work_ms + setting.step_ms) / turn}

"""The bound of a loader and its loop, from a profile: milliseconds that each resource needs for one batch."""

from __future__ import annotations

from dataclasses import dataclass

EPOCH = 50  # batches
START_MS = 15.0  # what a worker costs that is started by fork


@dataclass(frozen=True)
class Profile:
    """Milliseconds: of a sample (read: waiting, decode: CPU), of a batch (transport: CPU on either side; step)."""

    read_ms: float
    decode_ms: float
    transport_ms: float
    step_ms: float
    batch: int
    workers: int
    cores: int
    persistent: bool = True

    def needs(self) -> dict[str, float]:
        """Return each resource, and the time that it needs for one batch."""
        load = self.batch * (self.read_ms + self.decode_ms)
        if not self.workers:
            return {"loop": load + self.step_ms}
        send = receive = self.transport_ms / 2
        return {
            "loop": receive + self.step_ms,
            "cores": (self.batch * self.decode_ms + send + receive) / self.cores,
            "workers": (load + send) / self.workers,
        }

    @property
    def bound(self) -> tuple[str, float]:
        """The resource that needs most time for a batch, and that time."""
        needs = self.needs()
        name = max(needs, key=lambda key: needs[key])
        return name, needs[name]

    @property
    def start_ms(self) -> float:
        """The milliseconds that starting the workers costs an epoch after the first, for each of its batches."""
        return 0.0 if self.persistent else START_MS * self.workers / EPOCH

    @property
    def rate(self) -> float:
        """Samples per second, over an epoch."""
        return 1000 * self.batch / max(self.bound[1] + self.start_ms, 1e-6)

    @property
    def limit(self) -> float:
        """Samples per second of the step alone."""
        return 1000 * self.batch / self.step_ms

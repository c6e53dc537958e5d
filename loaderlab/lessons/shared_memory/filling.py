"""The filling of /dev/shm while a loader runs: batches in it over time, from the loader's settings alone."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20
LOAD_MS, STEP_MS = 60.0, 20.0  # a worker makes a batch, the loop computes on one
PIN_MS = 5.0  # the pin thread copies one


@dataclass(frozen=True)
class Filling:
    """``held`` counts the batch that the loop works on and those that it keeps besides; workers 0: no segments.

    With ``pin_memory`` the loop holds pinned batches, which are not in /dev/shm.
    """

    batch_bytes: int
    num_workers: int
    prefetch_factor: int = 2
    held: int = 1
    pin_memory: bool = False

    @property
    def batches(self) -> int:
        """The most batches that can be in /dev/shm at the same time; as many with ``pin_memory`` only if the thread waits."""
        if not self.num_workers:
            return 0
        return self.num_workers * self.prefetch_factor + (0 if self.pin_memory else self.held)

    @property
    def needed(self) -> int:
        """Bytes of these batches."""
        return self.batches * self.batch_bytes

    @property
    def shm_size(self) -> int:
        """The value for ``--shm-size``, in MiB: whole ones, and at least one to spare for the queues' own files."""
        return -(-self.needed // MIB) + 1

    def levels(self) -> tuple[list[tuple[float, int]], float]:
        """Return batches in /dev/shm as steps ``(ms, batches)``, and when the loop pauses.

        The loop is faster than a few workers, and slower than many. Then it pauses, for a checkpoint or a
        validation, and the workers go on until everything is made that was ordered. The pin thread, if there is
        one, always keeps up: it goes on while the loop pauses, and lets each segment go once it has copied it.
        """
        if not self.num_workers:
            return [(0.0, 0), (600.0, 0)], 300.0
        ahead = self.num_workers * self.prefetch_factor
        pause_after = self.held + 4
        free = [0.0] * self.num_workers
        taken: list[float] = []
        changes: list[tuple[float, int]] = []
        loop, paused, pinned = 0.0, 0.0, 0.0
        for i in range(pause_after + ahead + 4):
            worker = i % self.num_workers
            ordered = taken[i - ahead] if i >= ahead else 0.0
            free[worker] = max(free[worker], ordered) + LOAD_MS
            changes.append((free[worker], 1))
            if self.pin_memory:
                pinned = max(free[worker], pinned) + PIN_MS
                changes.append((pinned, -1))
            taken.append(max(free[worker], pinned, loop))
            if i >= self.held and not self.pin_memory:
                changes.append((taken[i], -1))
            loop = taken[i] + STEP_MS
            if i + 1 == pause_after:
                paused = taken[i]
                loop += (self.prefetch_factor + 1) * LOAD_MS + 100
        level, end = 0, taken[pause_after] + 40
        points = [(0.0, 0)]
        for time, change in sorted(changes):  # at the same moment the old batch goes first
            if time > end:
                break
            level += change
            if points[-1][0] == time:
                points.pop()
            points.append((time, level))
        return [*points, (end, level)], paused

    def full_at(self, shm_bytes: float) -> float | None:
        """Return the milliseconds until a batch no longer fits, or None. With ``pin_memory``: while the thread keeps up."""
        return next((ms for ms, n in self.levels()[0] if n * self.batch_bytes > shm_bytes), None)

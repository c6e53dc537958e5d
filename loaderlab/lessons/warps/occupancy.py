"""Occupancy: the warps that an SM holds at once, and how much of a load's latency they hide.

The limits are those of the table "Technical Specifications per Compute Capability" of the CUDA programming guide; the
units in which registers are given out are those of `cuda_occupancy.h`, which comes with CUDA.
"""

from __future__ import annotations

from dataclasses import dataclass

from loaderlab.lessons.warps.tiles import WARP, ceil_div

REGISTERS = 64 * 1024  # of an SM, 32 bits each
UNIT = 256  # registers: a warp gets a multiple of them
SCHEDULERS = 4  # of an SM; each has a quarter of the registers, and issues for its own warps


@dataclass(frozen=True)
class Limits:
    """The limits of an SM: warps, blocks, KiB of shared memory, and KiB of it that CUDA keeps for itself in each block."""

    warps: int
    blocks: int
    shared_kib: int
    reserved_kib: int


GPUS = {
    "T4": Limits(32, 16, 64, 0),  # compute capability 7.5
    "A100": Limits(64, 32, 164, 1),  # 8.0
    "L4": Limits(48, 24, 100, 1),  # 8.9
    "H100": Limits(64, 32, 228, 1),  # 9.0
}


@dataclass(frozen=True)
class Residency:
    """Blocks of `block` threads with `registers` each, and `shared_kib` of shared memory a block, on one SM."""

    gpu: str
    block: int
    registers: int
    shared_kib: int = 0

    @property
    def warps_per_block(self) -> int:
        return ceil_div(self.block, WARP)

    @property
    def fitting(self) -> dict[str, int]:
        """Blocks that each of the limits leaves room for."""
        limits = GPUS[self.gpu]
        registers = UNIT * ceil_div(self.registers * WARP, UNIT)  # of a warp
        warps = REGISTERS // SCHEDULERS // registers * SCHEDULERS
        shared = self.shared_kib + limits.reserved_kib
        return {
            "warps": limits.warps // self.warps_per_block,
            "blocks": limits.blocks,
            "registers": warps // self.warps_per_block,
            # Where a block takes none, this is no limit: a block has a warp at least.
            "shared": limits.shared_kib // shared if shared else limits.warps,
        }

    @property
    def blocks(self) -> int:
        """Blocks that an SM holds at once: as many as the strictest limit allows."""
        return min(self.fitting.values())

    @property
    def strictest(self) -> list[str]:
        """The limits that are reached first."""
        return [name for name, blocks in self.fitting.items() if blocks == self.blocks]

    @property
    def warps(self) -> int:
        return self.blocks * self.warps_per_block

    @property
    def occupancy(self) -> float:
        """Warps, of those that the SM could hold at most; 0 to 1."""
        return self.warps / GPUS[self.gpu].warps

    @property
    def per_scheduler(self) -> int:
        """Warps of the scheduler that has most of them."""
        return ceil_div(self.warps, SCHEDULERS)


def busy_share(warps: int, instructions: int, latency: int) -> float:
    """Return the share of cycles, 0 to 1, in which a scheduler issues an instruction.

    Each of its `warps` issues `instructions`, one a cycle, and then waits `latency` cycles for a load.
    """
    return min(1.0, warps * instructions / (instructions + latency))


def enough(instructions: int, latency: int) -> int:
    """Warps with which a scheduler has an instruction to issue in every cycle."""
    return ceil_div(instructions + latency, instructions)


def issued(warps: int, instructions: int, latency: int, cycles: int) -> list[list[range]]:
    """Return the cycles in which each warp issues, up to `cycles`: the one that has been ready longest goes first."""
    turns: list[list[range]] = [[] for warp in range(warps)]
    ready = [0] * warps
    now = 0
    while ready:
        warp = min(range(warps), key=lambda warp: ready[warp])
        now = max(now, ready[warp])
        if now >= cycles:
            break
        turns[warp].append(range(now, now + instructions))
        now += instructions
        ready[warp] = now + latency
    return turns

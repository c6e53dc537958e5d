"""The arithmetic of lanes, tiles and waves: exact counts, no timing, no device.

A kernel is launched as blocks of threads; the hardware cuts each block into warps of 32 lanes. A matrix
product is cut into tiles, one block works on each, and as many tiles as the device has SMs make a wave.
Simplified: each SM works on one tile at a time, and every tile takes as long as a full one.
"""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32  # lanes in a warp, on every NVIDIA GPU so far
BYTES = {"fp16": 2, "bf16": 2, "tf32": 4, "int8": 1}  # of one matrix element
LINE = 16  # bytes to which NVIDIA's guide wants the dimensions of a matrix product aligned


def ceil_div(whole: int, part: int) -> int:
    """Return how many parts are needed to hold the whole."""
    return -(-whole // part)


@dataclass(frozen=True)
class Launch:
    """A kernel with one thread for each of `elements`, in blocks of `block` threads."""

    elements: int
    block: int = 256

    @property
    def blocks(self) -> int:
        return ceil_div(self.elements, self.block)

    @property
    def warps_per_block(self) -> int:
        return ceil_div(self.block, WARP)

    @property
    def warps(self) -> int:
        """Warps that are launched, those that find nothing to do included."""
        return self.blocks * self.warps_per_block

    @property
    def lanes(self) -> int:
        return self.warps * WARP

    @property
    def idle(self) -> int:
        """Lanes without an element."""
        return self.lanes - self.elements

    @property
    def idle_share(self) -> float:
        """The share of lanes that are idle, 0 to 1."""
        return self.idle / self.lanes

    def used(self, warp: int) -> int:
        """Lanes of warp `warp` (counted from 0 over all blocks) that have an element."""
        block, within = divmod(warp, self.warps_per_block)
        start = within * WARP
        threads = min(self.block, self.elements - block * self.block)
        return max(0, min(WARP, threads - start))


@dataclass(frozen=True)
class Product:
    """A matrix product with M × N results, in tiles of `tile_m` × `tile_n`, on `sms` multiprocessors."""

    m: int
    n: int
    tile_m: int = 128
    tile_n: int = 128
    sms: int = 108

    @property
    def tile_rows(self) -> int:
        return ceil_div(self.m, self.tile_m)

    @property
    def tile_columns(self) -> int:
        return ceil_div(self.n, self.tile_n)

    @property
    def tiles(self) -> int:
        return self.tile_rows * self.tile_columns

    @property
    def waves(self) -> int:
        return ceil_div(self.tiles, self.sms)

    @property
    def last_wave(self) -> int:
        """Tiles in the last wave, which keeps as many SMs busy."""
        return self.tiles - (self.waves - 1) * self.sms

    @property
    def tile_use(self) -> float:
        """Share of the tiles' area that holds results, 0 to 1."""
        return self.m * self.n / (self.tiles * self.tile_m * self.tile_n)

    @property
    def wave_use(self) -> float:
        """Share of the places for tiles that hold one, 0 to 1."""
        return self.tiles / (self.waves * self.sms)

    @property
    def efficiency(self) -> float:
        """Share of all work slots used: the results, of what the waves could have computed in that time."""
        return self.tile_use * self.wave_use


def alignment(dtype: str) -> int:
    """Return the number of elements of which N and K should be multiples, says NVIDIA's guide: 16 bytes' worth."""
    return LINE // BYTES[dtype]

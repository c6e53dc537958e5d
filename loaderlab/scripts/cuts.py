"""JPEGs that can be cut like a film, so that no more is decoded than a crop needs.

The blocks of a JPEG are a chain of codes of different lengths: where one begins is known only when all before it have been
read, and its brightness is stored as the difference from the block before. A restart marker ends the chain, and the next
block begins a new one. So the pieces between markers can be taken out and put behind a head with a smaller width and height:
that is a JPEG again, which every decoder reads.

Where the pieces begin is written behind the end of the JPEG, where no decoder looks: the index, then TAIL.
"""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
from dataclasses import dataclass
from typing import Any

import numpy as np

Box = tuple[int, int, int, int]  # left, top, right, bottom

SIZES = (0xC0, 0xC1, 0xC2)  # markers of a frame, Huffman coded: baseline, extended, progressive
OTHER_SIZES = {*range(0xC3, 0xD0)} - {0xC4, 0xC8, 0xCC}  # lossless, arithmetic: not read here

MAGIC = b"JPEGCUTS"
# Places in the index, pieces in a row, their width and height in pixels, MAGIC.
TAIL = struct.Struct("<IIII8s")
BEST = 4  # blocks in a piece: fewer take more bytes, and of more a crop needs fewer
SECONDS = 60  # for jpegtran, which needs a hundredth of one


@dataclass(frozen=True)
class Layout:
    """A JPEG's size, its blocks and its restart markers.

    ``frame`` is where its height stands in the bytes, and after it its width. ``block`` is what is coded together, in pixels:
    8 × 8, or 16 × 16 where colours are stored at half the size. ``interval`` blocks stand between two restart markers; 0 where
    there are none. ``codes`` is where the blocks begin; -1 where they do not simply follow one another (progressive, or each
    colour by itself).
    """

    frame: int
    width: int
    height: int
    block: tuple[int, int]
    interval: int
    codes: int

    @property
    def blocks(self) -> tuple[int, int]:
        """Blocks in a row, and in a column."""
        return -(-self.width // self.block[0]), -(-self.height // self.block[1])


def layout(data: bytes | bytearray) -> Layout | None:
    """Return the layout that the head of a JPEG tells; None where it is none, or of a kind that few programs write."""
    at, frame, interval, kind = 2, 0, 0, 0
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], _number(data, at + 2)
        if marker in SIZES:
            frame, kind = at + 5, marker
        elif marker in OTHER_SIZES:
            return None
        elif marker == 0xDD:
            interval = _number(data, at + 4)
        elif marker == 0xDA:
            return _of(data, frame, interval, kind, at, at + 2 + length) if frame else None
        at += 2 + length
    return None


def _of(
    data: bytes | bytearray, frame: int, interval: int, kind: int, scan: int, codes: int
) -> Layout | None:
    if codes > len(data):
        return None
    colours = data[frame + 4]
    samplings = data[frame + 6 : frame + 6 + 3 * colours : 3]
    # A block of a single colour is 8 × 8, whatever is said of its sampling.
    across, down = (max(s >> 4 for s in samplings), max(s & 15 for s in samplings)) if colours > 1 else (1, 1)
    if not across or not down:
        return None
    if kind == 0xC2 or data[scan + 4] != colours:
        codes = -1
    return Layout(
        frame, _number(data, frame + 2), _number(data, frame), (8 * across, 8 * down), interval, codes
    )


def _number(data: bytes | bytearray, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")


def markers_every(blocks: int) -> int:
    """Return how many blocks to have between two markers, where a row has so many: a divisor, so that each row begins with one."""
    return min((n for n in range(1, blocks + 1) if blocks % n == 0), key=lambda n: abs(math.log(n / BEST)))


def jpegtran() -> str | None:
    """Return the program of libjpeg-turbo that puts restart markers into a JPEG and changes no pixel, where it is installed."""
    return shutil.which("jpegtran")


def cuttable(data: bytes) -> bytes | None:
    """Return the JPEG with its index behind it, and with restart markers where it had none; None where that is not possible.

    Without jpegtran it is possible only where there are markers already.
    """
    return indexed(data) or indexed(_marked(data))


def is_cuttable(data: bytes) -> bool:
    """Return whether there is an index behind the JPEG."""
    return data.endswith(MAGIC)


def _marked(data: bytes) -> bytes:
    program, found = jpegtran(), layout(data)
    if not program or not found:
        return b""
    command = [program, "-copy", "none", "-optimize", "-restart", f"{markers_every(found.blocks[0])}B"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return b"" if done.returncode else done.stdout  # a warning has a status, too


def indexed(data: bytes) -> bytes | None:
    """Return a JPEG that has restart markers, with its index behind it; None where there is nothing to cut."""
    found = layout(data)
    if not found or found.codes < 0 or not found.interval:
        return None
    across, down = found.blocks
    # Where the interval divides a row, each row begins with a marker. Elsewhere only every so many rows do, and stay together.
    shared = math.gcd(across, found.interval)
    rows, pieces = found.interval // shared, across // shared
    wide = found.interval if rows == 1 else across
    places = _places(data, found)
    if len(places) != 1 - (-across * down // found.interval) or (wide == across and rows >= down):
        return None
    tail = TAIL.pack(len(places), pieces, wide * found.block[0], rows * found.block[1], MAGIC)
    return data + places.tobytes() + tail


def _places(data: bytes, found: Layout) -> np.ndarray:
    """Return where each piece begins, and where the last one ends; each ends with a marker. Empty where a marker is not as it should be."""
    codes = np.frombuffer(data, dtype=np.uint8, offset=found.codes)
    at = np.flatnonzero(codes[:-1] == 0xFF)
    marker = codes[at + 1]
    # A 0xFF that belongs to the codes has a zero behind it; others only fill.
    at, marker = at[(marker != 0) & (marker != 0xFF)], marker[(marker != 0) & (marker != 0xFF)]
    ends = np.flatnonzero((marker & 0xF8) != 0xD0)
    count = int(ends[0]) if len(ends) else 0
    if not len(ends) or marker[count] != 0xD9 or (marker[:count] != 0xD0 + np.arange(count) % 8).any():
        return np.empty(0, dtype="<u4")
    return np.concatenate([[0], at[: count + 1] + 2]).astype("<u4") + np.uint32(found.codes)


def cut(data: Any, frame: int, width: int, height: int, box: Box) -> tuple[np.ndarray, Box] | None:
    """Return a JPEG of the pieces that ``box`` touches, and the box that they fill; None where there is no index behind ``data``.

    ``frame`` is where the height stands in ``data``, and after it the width. ``box`` lies within the picture.
    """
    count, pieces, wide, high, magic = TAIL.unpack_from(data, len(data) - TAIL.size)
    if magic != MAGIC:
        return None
    places = np.frombuffer(data, dtype="<u4", count=count, offset=len(data) - TAIL.size - 4 * count)
    top, bottom = box[1] // high, -(-box[3] // high)
    left, right = (box[0] // wide, -(-box[2] // wide)) if wide < width else (0, pieces)
    filled = (left * wide, top * high, min(width, right * wide), min(height, bottom * high))
    numbers = np.arange(top, bottom)[:, None] * pieces + np.arange(left, right)
    begins, ends = places[:-1].take(numbers, mode="clip"), places[1:].take(numbers, mode="clip")
    codes = np.frombuffer(data, dtype=np.uint8)
    rows = zip(begins[:, 0].tolist(), ends[:, -1].tolist(), strict=True)
    out = np.concatenate([codes[: places[0]], *(codes[begin:end] for begin, end in rows)])
    # The last rows may be fewer than stay together; their pieces then end before the last number.
    lengths = (ends - begins)[numbers < count - 1]
    markers = places[0] + np.cumsum(lengths, dtype=np.int64) - 1
    out[markers] = 0xD0 + np.arange(len(markers)) % 8  # they count from 0 to 7, and begin again
    out[-1] = 0xD9  # the end
    out[frame : frame + 4] = np.array([filled[3] - filled[1], filled[2] - filled[0]], dtype=">u2").view(
        np.uint8
    )
    return out, filled

"""The layout of a JPEG: where things stand in its bytes."""

from __future__ import annotations

from dataclasses import dataclass

SIZES = (0xC0, 0xC1, 0xC2)  # markers of a frame, Huffman coded: baseline, extended, progressive
OTHER_SIZES = {*range(0xC3, 0xD0)} - {0xC4, 0xC8, 0xCC}  # lossless, arithmetic: not read here


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

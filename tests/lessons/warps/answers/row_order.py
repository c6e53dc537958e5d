# %% given
# What some of the wrong answers to this exercise share.
def idle_of(lengths, order):
    warps = [order[k : k + 32] for k in range(0, len(order), 32)]
    return sum(32 * max(lengths[r] for r in w) - sum(lengths[r] for r in w) for w in warps)


def by_length(lengths):
    return sorted(range(len(lengths)), key=lambda row: -lengths[row])


def ordering(ordered):
    """An answer in this order, with its idle lanes."""

    def answer(lengths):
        order = ordered(lengths)
        return order, idle_of(lengths, order)

    return answer

# %% right: heap
import heapq
from itertools import islice


def row_order(lengths):
    heap = [(-n, row) for row, n in enumerate(lengths)]
    heapq.heapify(heap)
    order, idle = [], 0
    while heap:
        warp = [heapq.heappop(heap) for _ in range(min(32, len(heap)))]
        order.extend(row for _, row in warp)
        longest = -warp[0][0]
        idle += 32 * longest + sum(n for n, _ in islice(warp, 32))
    return (order, idle)

# %% right: named tuple
from typing import NamedTuple


class Plan(NamedTuple):
    order: list
    idle: float


def row_order(lengths):
    by_length = {}
    for row, n in enumerate(lengths):
        by_length.setdefault(n, []).append(row)
    order = [row for n in sorted(by_length, reverse=True) for row in by_length[n]]
    rounds = sum(max(lengths[row] for row in order[k : k + 32]) for k in range(0, len(order), 32))
    return Plan(order, float(rounds * 32 - sum(lengths)))

# %% right: numpy
import numpy as np


def row_order(lengths):
    lengths = np.array(lengths)
    order = np.argsort(-lengths, kind="stable")
    padded = np.pad(lengths[order], (0, -len(lengths) % 32)).reshape(-1, 32)
    return order, (padded.max(axis=1, keepdims=True) - padded).sum()

# %% right: round by round
def row_order(lengths):
    """Plays the kernel."""
    rows = list(enumerate(lengths))
    rows.sort(key=lambda pair: pair[1])
    rows.reverse()
    idle = 0
    for first in range(0, len(rows), 32):
        left = [length for _, length in rows[first : first + 32]]
        while any(left):
            idle += 32 - sum(1 for n in left if n > 0)
            left = [max(0, n - 1) for n in left]
    return [row for row, _ in rows], idle

# %% right: tensors
import torch


def row_order(lengths):
    values, order = torch.sort(torch.tensor(lengths), descending=True)
    warps = values.split(32)
    return order.tolist(), sum(32 * int(warp[0]) - int(warp.sum()) for warp in warps)

# %% right: the short warp first
def row_order(lengths):
    """From short to long: the short warp, which must be the last one of the launch, is cut off in front."""
    ascending = sorted(range(len(lengths)), key=lengths.__getitem__)
    rest = len(lengths) % 32
    order = ascending[rest:] + ascending[:rest]
    warps = [order[i : i + 32] for i in range(0, len(order), 32)]
    idle = 0
    for warp in warps:
        longest = max(lengths[row] for row in warp)
        idle += sum(longest - lengths[row] for row in warp) + (32 - len(warp)) * longest
    return order, idle

# %% wrong: a list of warps · fails 0, 1, 2, 3
def row_order(lengths):
    order, idle = ordering(by_length)(lengths)
    return [order[k : k + 32] for k in range(0, len(order), 32)], idle

# %% wrong: a long one with a short one · fails 2, 3
@ordering
def row_order(lengths):
    """Pairs of a long and a short row, so that their sums are alike."""
    rows, order = by_length(lengths), []
    while rows:
        order += [rows.pop(0), *rows[-1:]]
        del rows[-1:]
    return order

# %% wrong: a share · fails 1
def row_order(lengths):
    order, idle = ordering(by_length)(lengths)
    return order, idle / (idle + sum(lengths))

# %% wrong: a warp of every length · fails 2, 3
@ordering
def row_order(lengths):
    """Each warp gets long and short rows, as if they were to be balanced."""
    rows, warps = by_length(lengths), -(-len(lengths) // 32)
    return [row for warp in range(warps) for row in rows[warp::warps]]

# %% wrong: as they come · fails 2, 3
row_order = ordering(lambda lengths: list(range(len(lengths))))

# %% wrong: first of equal rows · fails 0, 1, 2, 3
row_order = ordering(lambda lengths: [lengths.index(length) for length in sorted(lengths, reverse=True)])

# %% wrong: from short to long · fails 3
row_order = ordering(lambda lengths: by_length(lengths)[::-1])

# %% wrong: lanes without a row once · fails 1
def row_order(lengths):
    order = by_length(lengths)
    waiting = sum(lengths[order[k - k % 32]] - lengths[row] for k, row in enumerate(order))
    return order, waiting + -len(order) % 32

# %% wrong: lengths for indices · fails 0, 1, 2, 3
def row_order(lengths):
    return sorted(lengths, reverse=True), idle_of(lengths, by_length(lengths))

# %% wrong: only the longest in front · fails 2, 3
@ordering
def row_order(lengths):
    """The longest rows fill the first warp; the others stay as they came."""
    first = by_length(lengths)[:32]
    return first + [row for row in range(len(lengths)) if row not in first]

# %% wrong: rounds · fails 1
def row_order(lengths):
    order = by_length(lengths)
    return order, sum(lengths[row] for row in order[::32])

# %% wrong: sorted within each warp · fails 2, 3
@ordering
def row_order(lengths):
    rows = range(len(lengths))
    warps = [rows[first : first + 32] for first in rows[::32]]
    return [row for warp in warps for row in sorted(warp, key=lambda row: -lengths[row])]

# %% wrong: sorts the lengths · fails 0
def row_order(lengths):
    found = ordering(by_length)(lengths)
    lengths.sort()
    return found

# %% wrong: the idle lanes of the old order · fails 1
def row_order(lengths):
    return by_length(lengths), idle_of(lengths, list(range(len(lengths))))

# %% wrong: the order alone · fails 0, 1, 2, 3
def row_order(lengths):
    return by_length(lengths)

# %% wrong: without the lanes that have no row · fails 1
def row_order(lengths):
    order = by_length(lengths)
    return order, sum(lengths[order[k - k % 32]] - lengths[row] for k, row in enumerate(order))

# %% wrong: right once, and never again · fails 0
calls = []


def row_order(lengths):
    calls.append(lengths)
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    idle = 32 * sum(lengths[row] for row in order[::32]) - sum(lengths)
    return (order, idle) if calls.count(lengths) == 1 else None

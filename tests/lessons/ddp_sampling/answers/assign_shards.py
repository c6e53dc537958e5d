# %% given
# What the answers to this exercise share.


def shards(order, steps=None, check=True, assign=None):
    """An answer: shards in this order to the emptiest rank, or as `assign` says; so many steps."""

    def answer(sizes, ranks, batch_size):
        if check and len(sizes) < ranks:
            raise ValueError
        parts, loads = [[] for _ in range(ranks)], [0] * ranks
        if assign:
            parts = assign(sizes, ranks)
        else:
            for shard in order(sizes):
                rank = loads.index(min(loads))
                parts[rank].append(shard)
                loads[rank] += sizes[shard]
        loads = [sum(sizes[i] for i in part) for part in parts]
        return parts, (steps or (lambda loads, size: -(-max(loads) // size)))(loads, batch_size)

    return answer


def largest_first(sizes):
    return sorted(range(len(sizes)), key=lambda i: -sizes[i])

# %% right: heap
import heapq
import math


def assign_shards(sizes, ranks, batch_size):
    if ranks > len(sizes):
        raise ValueError("fewer shards than ranks")
    heap = [(0, rank, []) for rank in range(ranks)]
    for size, shard in sorted(((size, shard) for shard, size in enumerate(sizes)), reverse=True):
        load, rank, shards = heapq.heappop(heap)
        heapq.heappush(heap, (load + size, rank, [*shards, shard]))
    heap.sort(key=lambda entry: entry[1])
    return [shards for _load, _rank, shards in heap], math.ceil(max(heap)[0] / batch_size)

# %% right: in parts
assign_shards = shards(largest_first)

# %% right: numpy
import numpy as np


def assign_shards(sizes, ranks, batch_size):
    if len(sizes) < ranks:
        raise ValueError
    loads, owner = np.zeros(ranks, int), np.zeros(len(sizes), int)
    for shard in np.argsort(-np.asarray(sizes), kind="stable"):
        owner[shard] = loads.argmin()
        loads[owner[shard]] += sizes[shard]
    return [np.flatnonzero(owner == rank).tolist() for rank in range(ranks)], (loads.max() - 1) // batch_size + 1

# %% right: the best of all assignments
def assign_shards(sizes, ranks, batch_size):
    if len(sizes) < ranks:
        raise ValueError
    found = {(0,) * ranks: [[]] * ranks}
    for shard, size in enumerate(sizes):
        longer = {}
        for loads, parts in found.items():
            for rank in range(ranks):
                pairs = [(load, part) for load, part in zip(loads, parts)]
                pairs[rank] = (loads[rank] + size, [*parts[rank], shard])
                pairs.sort()
                longer[tuple(load for load, _part in pairs)] = [part for _load, part in pairs]
        found = longer
    best = min(found, key=lambda loads: (max(loads), -min(loads)))
    return found[best], -(-max(best) // batch_size)

# %% wrong: all to everybody · fails 0, 1, 3
def assign_shards(s, r, b):
    return ([list(range(len(s)))] * r, -(-sum(s) // b))

# %% wrong: fills up with repetitions · fails 0, 1
def wrapped(sizes, ranks):
    each = -(-len(sizes) // ranks)
    return [[(rank + k * ranks) % len(sizes) for k in range(each)] for rank in range(ranks)]


assign_shards = shards(None, assign=wrapped)

# %% wrong: forgets the remainder · fails 0, 1
def even_parts(sizes, ranks):
    each = len(sizes) // ranks
    return [list(range(rank * each, (rank + 1) * each)) for rank in range(ranks)]


assign_shards = shards(None, assign=even_parts)

# %% wrong: in the given order · fails 1
assign_shards = shards(lambda sizes: range(len(sizes)))

# %% wrong: in turn · fails 1
assign_shards = shards(None, assign=lambda s, r: [list(range(k, len(s), r)) for k in range(r)])

# %% wrong: no error · fails 3
assign_shards = shards(largest_first, check=False)

# %% wrong: only the shards · fails 0, 1, 2
def assign_shards(s, r, b):
    return shards(largest_first)(s, r, b)[0]

# %% wrong: rounds down · fails 2
assign_shards = shards(largest_first, lambda loads, size: max(loads) // size)

# %% wrong: smallest first · fails 1
assign_shards = shards(lambda sizes: largest_first(sizes)[::-1])

# %% wrong: sorts the sizes it is given · fails 0
def assign_shards(sizes, ranks, batch_size):
    found = shards(largest_first)(sizes, ranks, batch_size)
    sizes.sort()
    return found

# %% wrong: steps as fractions · fails 2
assign_shards = shards(largest_first, lambda loads, size: max(loads) / size)

# %% wrong: steps by the mean · fails 2
import math

assign_shards = shards(largest_first, lambda loads, size: math.ceil(sum(loads) / len(loads) / size))

# %% wrong: steps of the poorest · fails 2
assign_shards = shards(largest_first, lambda loads, size: -(-min(loads) // size))

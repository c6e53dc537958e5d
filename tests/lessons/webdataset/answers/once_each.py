# %% given
# What the answers to this exercise share.


def dealing(cut=None, steps=None, mine=None):
    """An answer to once_each that deviates in what is given."""

    def answer(counts, batch_size, rank, world, worker, workers):
        samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
        due = -(-len(samples) // (world * batch_size))
        each = (steps or (lambda n, world, batch: due))(len(samples), world, batch_size)
        first, last = (rank * each + each * i // workers for i in (worker, worker + 1))
        numbers = mine(each, rank, world, worker, workers) if mine else range(first, last)
        total = world * each
        start_of = cut or (lambda n, b, total, size: n * b // total)
        return [
            samples[
                start_of(len(samples), b, total, batch_size) : start_of(
                    len(samples), b + 1, total, batch_size
                )
            ]
            for b in numbers
        ]

    return answer

# %% right: by offsets
import bisect


def once_each(counts, batch_size, rank, world, worker, workers):
    starts = [0]
    for count in counts:
        starts.append(starts[-1] + count)
    total = starts[-1]

    def sample(i):
        shard = bisect.bisect_right(starts, i) - 1
        return [shard, i - starts[shard]]

    number = world * -(-total // (world * batch_size))
    batches = []
    for b in range(number):
        its_rank, place = divmod(b, number // world)
        if its_rank == rank and place * workers // (number // world) == worker:
            batches.append([sample(i) for i in range(total * b // number, total * (b + 1) // number)])
    return batches

# %% right: generators of tuples
from itertools import accumulate, islice


def once_each(counts, batch_size, rank, world, worker, workers):
    total = sum(counts)
    steps = -(-total // (world * batch_size))
    every = iter([(s, p) for s in range(len(counts)) for p in range(counts[s])])
    size, rest = divmod(total, world * steps)
    sizes = [size + (b < rest) for b in range(world * steps)]
    batches = [tuple(islice(every, n)) for n in sizes]
    assert list(accumulate(sizes))[-1] == total
    own = batches[steps * rank : steps * (rank + 1)]
    few, more = divmod(steps, workers)
    first = few * worker + min(worker, more)
    return own[first : first + few + (worker < more)]

# %% right: numpy
import numpy as np


def once_each(counts, batch_size, rank, world, worker, workers):
    counts = np.asarray(counts)
    shard = np.repeat(np.arange(len(counts)), counts)
    position = np.concatenate([np.arange(count) for count in counts])
    steps = int(np.ceil(len(shard) / (world * batch_size)))
    batches = np.array_split(np.stack([shard, position], axis=1), world * steps)
    mine = np.array_split(np.arange(rank * steps, (rank + 1) * steps), workers)[worker]
    return [batches[b].tolist() for b in mine]

# %% wrong: a step too many · fails 1
once_each = dealing(steps=lambda n, world, batch: -(-n // (world * batch)) + 1)

# %% wrong: all by the first worker · fails 4
def once_each(counts, batch_size, rank, world, worker, workers):
    return [] if worker else dealing()(counts, batch_size, rank, world, 0, 1)

# %% wrong: batches dealt out in turn · fails 3
once_each = dealing(
    mine=lambda each, rank, world, worker, workers: range(rank, world * each, world)[worker::workers]
)

# %% wrong: begins again at the end · fails 0, 3
def once_each(counts, batch_size, rank, world, worker, workers):
    """Full batches; the list begins again at its end, as DistributedSampler does."""
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = -(-len(samples) // (world * batch_size))
    first, last = (rank * steps + steps * i // workers for i in (worker, worker + 1))
    wrapped = [samples[i % len(samples)] for i in range(world * steps * batch_size)]
    return [wrapped[b * batch_size : (b + 1) * batch_size] for b in range(first, last)]

# %% wrong: empties the counts · fails 0
def once_each(counts, batch_size, rank, world, worker, workers):
    samples, shard = [], 0
    while counts:
        samples += [(shard, position) for position in range(counts.pop(0))]
        shard += 1
    steps = -(-len(samples) // (world * batch_size))
    total = world * steps
    first, last = rank * steps + steps * worker // workers, rank * steps + steps * (worker + 1) // workers
    return [samples[len(samples) * b // total : len(samples) * (b + 1) // total] for b in range(first, last)]

# %% wrong: empty · fails 0, 1, 2, 3, 4
def once_each(*arguments):
    return []

# %% wrong: every n th sample · fails 1, 3
def once_each(counts, batch_size, rank, world, worker, workers):
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    samples = samples[rank::world][worker::workers]
    return [samples[i : i + batch_size] for i in range(0, len(samples), batch_size)]

# %% wrong: full batches only · fails 0, 1
def once_each(counts, batch_size, rank, world, worker, workers):
    """Full batches only."""
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = len(samples) // (world * batch_size)
    first, last = (rank * steps + steps * i // workers for i in (worker, worker + 1))
    return [samples[b * batch_size : (b + 1) * batch_size] for b in range(first, last)]

# %% wrong: indices instead of pairs · fails 0, 1, 2, 3, 4
def once_each(counts, *rest):
    return [[0, 1], [2]]

# %% wrong: no return · fails 0, 1, 2, 3, 4
def once_each(*arguments):
    return None

# %% wrong: one sample for each step · fails 1
once_each = dealing(steps=lambda n, world, batch: -(-n // world) if n < 5 else n // world)

# %% wrong: shards dealt out whole · fails 1, 4
def once_each(counts, batch_size, rank, world, worker, workers):
    """What split_by_node and split_by_worker do."""
    shards = list(range(len(counts)))[rank::world][worker::workers]
    samples = [(shard, position) for shard in shards for position in range(counts[shard])]
    return [samples[i : i + batch_size] for i in range(0, len(samples), batch_size)]

# %% wrong: the last worker takes the rest · fails 4
def once_each(counts, batch_size, rank, world, worker, workers):
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = -(-len(samples) // (world * batch_size))
    bounds = [len(samples) * b // (world * steps) for b in range(world * steps + 1)]
    batches = [samples[a:b] for a, b in zip(bounds, bounds[1:])][rank * steps : (rank + 1) * steps]
    each = steps // workers
    return batches[worker * each :] if worker == workers - 1 else batches[worker * each : (worker + 1) * each]

# %% wrong: the remainder in a short batch · fails 2
once_each = dealing(cut=lambda n, b, total, size: min(n, b * size))

# %% wrong: too large · fails 1, 2
once_each = dealing(steps=lambda n, world, batch: max(1, n // (world * batch) // 2))

# %% wrong: workers make the same · fails 0, 1, 3
def once_each(counts, batch_size, rank, world, worker, workers):
    return dealing()(counts, batch_size, rank, world, 0, 1)

# %% wrong: none where there is nothing to do · fails 0, 1, 2, 3, 4
def once_each(*setting):
    return dealing()(*setting) or None

# %% given
# What the answers to this exercise share.
def listed(counts):
    return [(shard, position) for shard, count in enumerate(counts) for position in range(count)]


def steps_of(n, world, batch):
    return -(-n // (world * batch))


def in_turns(samples, size):
    return [samples[i : i + size] for i in range(0, len(samples), size)]


def evenly(samples, total, size):
    """All batches, which are as large as each other to one sample."""
    bounds = [len(samples) * b // total for b in range(total + 1)]
    return [samples[start:end] for start, end in zip(bounds, bounds[1:])]


def part(each, rank, world, worker, workers):
    """The batches of a worker, which are those of its rank one after the other."""
    first, last = (rank * each + each * i // workers for i in (worker, worker + 1))
    return range(first, last)


def dealing(cut=evenly, steps=steps_of, mine=part):
    """An answer that goes its own way in one point."""

    def answer(counts, batch_size, rank, world, worker, workers):
        samples = listed(counts)
        each = steps(len(samples), world, batch_size)
        batches = cut(samples, world * each, batch_size)
        return [batches[b] for b in mine(each, rank, world, worker, workers)]

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
once_each = dealing(steps=lambda *setting: steps_of(*setting) + 1)

# %% wrong: all by the first worker · fails 4
def once_each(counts, batch_size, rank, world, worker, workers):
    return [] if worker else dealing()(counts, batch_size, rank, world, 0, 1)

# %% wrong: batches dealt out in turn · fails 3
once_each = dealing(
    mine=lambda each, rank, world, worker, workers: range(rank, world * each, world)[worker::workers]
)

# %% wrong: begins again at the end · fails 0, 3
def wrapped(samples, total, size):
    """Full batches; the list begins again at its end, as DistributedSampler does."""
    return in_turns([samples[i % len(samples)] for i in range(total * size)], size)


once_each = dealing(cut=wrapped)

# %% wrong: empties the counts · fails 0
def once_each(counts, *setting):
    found = dealing()(counts, *setting)
    counts.clear()
    return found

# %% wrong: empty · fails 0, 1, 2, 3, 4
def once_each(*arguments):
    return []

# %% wrong: every n th sample · fails 1, 3
def once_each(counts, batch_size, rank, world, worker, workers):
    return in_turns(listed(counts)[rank::world][worker::workers], batch_size)

# %% wrong: full batches only · fails 0, 1
once_each = dealing(
    cut=lambda samples, total, size: in_turns(samples, size),
    steps=lambda n, world, batch: n // (world * batch),
)

# %% wrong: indices instead of pairs · fails 0, 1, 2, 3, 4
def once_each(counts, *rest):
    return [[0, 1], [2]]

# %% wrong: one sample for each step · fails 1
once_each = dealing(steps=lambda n, world, batch: -(-n // world) if n < 5 else n // world)

# %% wrong: shards dealt out whole · fails 1, 4
def once_each(counts, batch_size, rank, world, worker, workers):
    """What split_by_node and split_by_worker do."""
    shards = list(range(len(counts)))[rank::world][worker::workers]
    return in_turns([sample for sample in listed(counts) if sample[0] in shards], batch_size)

# %% wrong: the last worker takes the rest · fails 4
def rest_to_the_last(each, rank, world, worker, workers):
    first, few = rank * each + worker * (each // workers), each // workers
    return range(first, (rank + 1) * each if worker == workers - 1 else first + few)


once_each = dealing(mine=rest_to_the_last)

# %% wrong: the remainder in a short batch · fails 2
def short(samples, total, size):
    return [samples[b * size : (b + 1) * size] for b in range(total)]


once_each = dealing(cut=short)

# %% wrong: too large · fails 1, 2
once_each = dealing(steps=lambda n, world, batch: max(1, n // (world * batch) // 2))

# %% wrong: workers make the same · fails 0, 1, 3
def once_each(counts, batch_size, rank, world, worker, workers):
    return dealing()(counts, batch_size, rank, world, 0, 1)

# %% wrong: none where there is nothing to do · fails 0, 1, 2, 3, 4
def once_each(*setting):
    return dealing()(*setting) or None

# %% given
# What the answers to this exercise share.
from loaderlab.lessons.webdataset import data


def mixing(sizes=sorted, enough=None, partial=False, initial=None, value=None, nothing=None):
    def answer(labels, batch, target, given):
        for size in sizes(given):
            order = list(data.shuffled(labels, size, initial))
            stop = len(order) if partial else len(order) - batch + 1
            counts = [len(set(order[i : i + batch])) for i in range(0, stop, batch)]
            measured = value(counts) if value else sum(counts) / len(counts)
            if (enough or (lambda a, b: a >= b))(measured, target):
                return size
        return nothing

    return answer

# %% right: counter class
class Buffer:
    def __init__(self, labels, size):
        self.order = list(data.shuffled(labels, size))

    def average(self, batch_size):
        total = number = 0
        for start in range(0, len(self.order), batch_size):
            batch = self.order[start : start + batch_size]
            if len(batch) == batch_size:
                total, number = total + len(set(batch)), number + 1
        return total / number


def mix(labels, batch_size, target, sizes):
    found = None
    for size in sizes:
        if (found is None or size < found) and Buffer(labels, size).average(batch_size) >= target:
            found = size
    return found

# %% right: itertools
from itertools import islice
from statistics import fmean


def batches(stream, size):
    while len(batch := list(islice(stream, size))) == size:
        yield batch


def mix(labels, batch_size, target, sizes):
    def classes(size):
        return fmean(len({*batch}) for batch in batches(iter(data.shuffled(labels, size)), batch_size))

    return min((size for size in sizes if classes(size) >= target), default=None)

# %% right: numpy
import numpy as np


def mix(labels, batch_size, target, sizes):
    for size in np.sort(sizes):
        order = np.fromiter(data.shuffled(labels, int(size)), dtype=int)
        full = order[: len(order) // batch_size * batch_size].reshape(-1, batch_size)
        if np.mean([np.unique(row).size for row in full]) >= target:
            return size

# %% wrong: begins with 100 · fails 0
mix = mixing(initial=100)

# %% wrong: every batch · fails 0, 1, 3
mix = mixing(value=min)

# %% wrong: in the order given · fails 1
mix = mixing(sizes=list)

# %% wrong: more than the target · fails 2
mix = mixing(enough=lambda a, b: a > b)

# %% wrong: no return · fails 0, 1, 2, 3
def mix(*arguments):
    return None

# %% wrong: no shuffle · fails 0, 1, 2, 3
def mix(labels, batch, target, sizes):
    return min(sizes)

# %% wrong: the best batch · fails 0, 1, 2
mix = mixing(value=max)

# %% wrong: the first batch · fails 0, 1, 3
mix = mixing(value=lambda counts: counts[0])

# %% wrong: the largest · fails 0, 1, 2, 3
mix = mixing(sizes=lambda given: sorted(given)[::-1])

# %% wrong: the last size for none · fails 2
mix = mixing(nothing=400)

# %% wrong: the short batch counts · fails 3
mix = mixing(partial=True)

# %% wrong: a batch begins at every sample · fails 0
def mix(labels, batch, target, sizes):
    for size in sorted(sizes):
        order = list(data.shuffled(labels, size))
        counts = [len(set(order[i : i + batch])) for i in range(len(order) - batch + 1)]
        if sum(counts) / len(counts) >= target:
            return size

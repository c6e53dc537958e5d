from itertools import islice
from statistics import fmean


def batches(stream, size):
    while len(batch := list(islice(stream, size))) == size:
        yield batch


def mix(labels, batch_size, target, sizes):
    def classes(size):
        return fmean(len({*batch}) for batch in batches(iter(data.shuffled(labels, size)), batch_size))

    return min((size for size in sizes if classes(size) >= target), default=None)

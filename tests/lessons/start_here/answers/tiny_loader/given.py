# What some of the answers to this exercise share.
from itertools import islice


def fetch(dataset, indices):
    if hasattr(dataset, "__getitems__"):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]

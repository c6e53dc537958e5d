# What the answers to this exercise share.
from itertools import pairwise


def pairs(events, first, second):
    """Durations from each event `first` to the next event, if that is `second`."""
    return [b - a for (x, a), (y, b) in pairwise(events) if (x, y) == (first, second)]


def waits(events):
    return pairs(events, "ask", "batch")


def steps(events):
    return pairs(events, "batch", "done")


def times(events, name):
    return [at for event, at in events if event == name]

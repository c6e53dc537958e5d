# What the answers to this exercise share.
from torch.utils.data import IterableDataset


def keep_length(self, length):
    self.length = length


def stream(iterate, **methods):
    return type("Stream", (IterableDataset,), {"__init__": keep_length, "__iter__": iterate, **methods})

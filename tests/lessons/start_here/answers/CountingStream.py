# %% given
# What the answers to this exercise share.
from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    """A right answer in parts: what a process yields, alone and as one of several workers."""

    def __init__(self, length):
        self.length = length

    def __iter__(self):
        info = get_worker_info()
        return iter(self.alone() if info is None else self.shared(info.id, info.num_workers))

    def alone(self):
        return range(self.length)

    def shared(self, worker, workers):
        return range(worker, self.length, workers)

# %% right: chunks rounded up
class CountingStream(Stream):
    def shared(self, worker, workers):
        size = -(-self.length // workers)
        return range(worker * size, min(self.length, (worker + 1) * size))

# %% right: islice
from itertools import count, islice, takewhile


class CountingStream(IterableDataset):
    def __init__(self, length):
        self.length = length

    def __iter__(self):
        info = get_worker_info()
        every = takewhile(lambda n: n < self.length, count())
        return every if info is None else islice(every, info.id, None, info.num_workers)

# %% right: tensors
import torch.utils.data


class CountingStream(torch.utils.data.IterableDataset):
    def __init__(self, length):
        super().__init__()
        self.length = length

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        mine, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        for number in torch.arange(self.length):
            if number % workers == mine:
                yield number

# %% wrong: chunks rounded down · fails 2
class CountingStream(Stream):
    def shared(self, worker, workers):
        size = self.length // workers
        return range(worker * size, (worker + 1) * size)

# %% wrong: endless · fails 0, 1, 2, 3
class CountingStream(Stream):
    def __iter__(self):
        while True:
            yield 0

# %% wrong: everyone everything · fails 1, 2, 3
class CountingStream(Stream):
    def shared(self, worker, workers):
        return self.alone()

# %% wrong: fails without workers · fails 0, 4
class CountingStream(Stream):
    def alone(self):
        return get_worker_info().id

# %% wrong: no iterabledataset · fails 0
class CountingStream:
    __init__, alone, shared = Stream.__init__, Stream.alone, Stream.shared

    def __iter__(self):
        yield from Stream.__iter__(self)

# %% wrong: starts at 1 · fails 1, 2
class CountingStream(Stream):
    def shared(self, worker, workers):
        return range(worker + 1, self.length, workers)

# %% wrong: the first worker does it all · fails 3
class CountingStream(Stream):
    def shared(self, worker, workers):
        return () if worker else self.alone()

# %% wrong: the last one takes the rest · fails 3
class CountingStream(Stream):
    def shared(self, worker, workers):
        size = self.length // workers
        return range(worker * size, self.length if worker == workers - 1 else (worker + 1) * size)

# %% wrong: used up · fails 4
class CountingStream(Stream):
    numbers = None

    def __iter__(self):
        if self.numbers is None:
            self.numbers = super().__iter__()
        return self.numbers

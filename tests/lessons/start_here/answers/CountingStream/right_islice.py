from itertools import count, islice, takewhile

from torch.utils.data import IterableDataset, get_worker_info


class CountingStream(IterableDataset):
    def __init__(self, length):
        self.length = length

    def __iter__(self):
        info = get_worker_info()
        every = takewhile(lambda n: n < self.length, count())
        return every if info is None else islice(every, info.id, None, info.num_workers)

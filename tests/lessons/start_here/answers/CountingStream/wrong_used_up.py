# fails: 4
from torch.utils.data import get_worker_info


def right_stream(self):
    info = get_worker_info()
    first, step = (0, 1) if info is None else (info.id, info.num_workers)
    yield from range(first, self.length, step)


def made_once(self, length):
    self.length, self.numbers = length, None


def used_up(self):
    if self.numbers is None:
        self.numbers = iter(list(right_stream(self)))
    return self.numbers


CountingStream = stream(used_up, __init__=made_once)

# fails: 1, 2
from torch.utils.data import get_worker_info


def from_one(self):
    info = get_worker_info()
    first, step = (0, 1) if info is None else (info.id + 1, info.num_workers)
    return iter(range(first, self.length, step))


CountingStream = stream(from_one)

# fails: 3
from torch.utils.data import get_worker_info


def last_takes_the_rest(self):
    info = get_worker_info()
    if info is None:
        return iter(range(self.length))
    size = self.length // info.num_workers
    end = self.length if info.id == info.num_workers - 1 else (info.id + 1) * size
    return iter(range(info.id * size, end))


CountingStream = stream(last_takes_the_rest)

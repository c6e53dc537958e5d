# fails: 2
from torch.utils.data import get_worker_info


def chunks(self, per_worker):
    info = get_worker_info()
    if info is None:
        return iter(range(self.length))
    size = per_worker(self.length, info.num_workers)
    return iter(range(info.id * size, min(self.length, (info.id + 1) * size)))


CountingStream = stream(lambda self: chunks(self, lambda n, w: n // w))

# fails: 0, 4
from torch.utils.data import get_worker_info


def only_in_workers(self):
    info = get_worker_info()
    return iter(range(info.id, self.length, info.num_workers))


CountingStream = stream(only_in_workers)

# fails: 0
from torch.utils.data import get_worker_info


def right_stream(self):
    info = get_worker_info()
    first, step = (0, 1) if info is None else (info.id, info.num_workers)
    yield from range(first, self.length, step)


CountingStream = type("Plain", (), {"__init__": keep_length, "__iter__": right_stream})

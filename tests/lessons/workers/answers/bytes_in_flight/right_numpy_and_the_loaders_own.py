import numpy as np


def bytes_in_flight(batch_bytes, num_workers, prefetch_factor, batches):
    loader = torch.utils.data.DataLoader([0], num_workers=num_workers, prefetch_factor=prefetch_factor)
    ahead = np.prod([num_workers, loader.prefetch_factor or 0])
    return np.int64(batch_bytes) * np.minimum(ahead + 1, batches)

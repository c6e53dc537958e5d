import numpy as np


def assign_shards(sizes, ranks, batch_size):
    if len(sizes) < ranks:
        raise ValueError
    loads, owner = np.zeros(ranks, int), np.zeros(len(sizes), int)
    for shard in np.argsort(-np.asarray(sizes), kind="stable"):
        owner[shard] = loads.argmin()
        loads[owner[shard]] += sizes[shard]
    return [np.flatnonzero(owner == rank).tolist() for rank in range(ranks)], (loads.max() - 1) // batch_size + 1

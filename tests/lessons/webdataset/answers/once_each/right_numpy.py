import numpy as np


def once_each(counts, batch_size, rank, world, worker, workers):
    counts = np.asarray(counts)
    shard = np.repeat(np.arange(len(counts)), counts)
    position = np.concatenate([np.arange(count) for count in counts])
    steps = int(np.ceil(len(shard) / (world * batch_size)))
    batches = np.array_split(np.stack([shard, position], axis=1), world * steps)
    mine = np.array_split(np.arange(rank * steps, (rank + 1) * steps), workers)[worker]
    return [batches[b].tolist() for b in mine]

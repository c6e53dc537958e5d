import numpy as np


def mix(labels, batch_size, target, sizes):
    for size in np.sort(sizes):
        order = np.fromiter(data.shuffled(labels, int(size)), dtype=int)
        full = order[: len(order) // batch_size * batch_size].reshape(-1, batch_size)
        if np.mean([np.unique(row).size for row in full]) >= target:
            return size

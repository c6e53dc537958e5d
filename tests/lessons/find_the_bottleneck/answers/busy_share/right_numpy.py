import numpy as np


def busy_share(kernels, start, end):
    edges = np.unique([start, end, *np.clip(np.array(list(kernels)).reshape(-1), start, end)])
    lengths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    busy = [any(begin < middle < stop for begin, stop in kernels) for middle in middles]
    return float(lengths[np.array(busy, dtype=bool)].sum() / (end - start))

import numpy as np


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    load = np.asarray(load_ms, dtype=float)
    if not num_workers:
        return np.cumsum(load) + step_ms * np.arange(len(load))
    got = np.zeros(len(load))
    free = np.zeros(num_workers)
    for i in range(len(load)):
        w, late = i % num_workers, i - num_workers * prefetch_factor
        free[w] = np.maximum(free[w], got[late] if late >= 0 else 0.0) + load[i]
        got[i] = np.max([free[w], got[i - 1] + step_ms if i else 0.0])
    return got

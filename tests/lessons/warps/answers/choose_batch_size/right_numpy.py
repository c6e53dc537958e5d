import numpy as np


def choose_batch_size(latencies, budget_ms, fixed_bytes, bytes_per_sample, memory_bytes):
    sizes = np.array(sorted(latencies))
    ms = np.array([np.median(latencies[size]) for size in sizes])
    fits = (ms <= budget_ms) & (fixed_bytes + sizes * bytes_per_sample <= memory_bytes)
    return sizes[np.argmax(np.where(fits, sizes / ms, -1))] if fits.any() else None

import numpy as np


def predict_memory(items, item_bytes, container, workers, start_method="fork", shuffled=True, own=0):
    data = np.float64(items) * item_bytes
    if not workers:
        return data
    forked = start_method == "fork"
    small = data * (workers * -np.expm1(4096 / item_bytes * np.log1p(-1 / workers)) if shuffled and workers > 1 else 1)
    copies = {
        ("list", True): 4096 * items if item_bytes >= 4096 else small,
        ("list", False): workers * data,
        ("array", False): workers * data,
        ("memmap", False): workers * data,
    }.get((container, forked), 0)
    return data + copies + workers * own

import numpy as np


def row_order(lengths):
    lengths = np.array(lengths)
    order = np.argsort(-lengths, kind="stable")
    padded = np.pad(lengths[order], (0, -len(lengths) % 32)).reshape(-1, 32)
    return order, (padded.max(axis=1, keepdims=True) - padded).sum()

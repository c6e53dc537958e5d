import numpy as np


def who_copied(before, after, least):
    pids = np.array(sorted(set(before) & set(after)), dtype=int)
    shared = np.array([[lines[pid]["Shared_Dirty"] for pid in pids] for lines in (before, after)], dtype=int)
    copied = shared[0] - shared[1]
    order = np.argsort(-copied)
    return pids[order][copied[order] >= least]

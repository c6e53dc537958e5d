import numpy as np


def step_time(nbytes, step_ms, host, link, pinned, overlap):
    copy_ms, link_ms = nbytes / np.array([host, link]) / 1e6
    stages = [[copy_ms, link_ms], [step_ms]] if not pinned else None
    if stages is not None:
        return np.concatenate(stages).sum()
    loop = np.maximum(link_ms, step_ms) if overlap else np.add(link_ms, step_ms)
    return np.maximum(copy_ms, loop)

import numpy as np


def idle_lanes(elements, block=256):
    blocks, warps = np.ceil(np.array([elements / block, block / 32])).astype(np.int64)
    return blocks * warps * 32 - elements

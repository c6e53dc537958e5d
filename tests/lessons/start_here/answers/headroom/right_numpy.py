import numpy as np


def headroom(now, cached):
    n, w, s = np.asarray(now, dtype=float)[1:].sum(axis=0)
    m, v, t = np.asarray(cached, dtype=float)[1:].sum(axis=0)
    gain = m * (w + s) / n / (v + t)
    return gain if abs(np.log(gain * s / (w + s))) <= np.log(1.1) else None

import numpy as np


def spot_quantisation(times):
    values = np.array([times[m] for m in range(1, len(times) + 1)])
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(values, 2, mode="edge"), 5)
    level = np.log(np.median(windows, axis=1))
    steps = np.flatnonzero(np.diff(level) > np.log(1.1)) + 1
    if len(steps) < 2:
        return None
    expected = np.arange(steps[0], len(values), steps[0])
    return int(steps[0]) if np.array_equal(steps, expected) else None

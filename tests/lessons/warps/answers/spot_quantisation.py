# %% given
# What the answers to this exercise share.
import statistics


def smoothed(times, width=2, rows=sorted):
    values = [times[m] for m in rows(times)]
    return [statistics.median(values[max(0, i - width) : i + width + 1]) for i in range(len(values))]


def rises(times, threshold=1.1, **smoothing):
    """The rows after which the smoothed time rises."""
    smooth = smoothed(times, **smoothing)
    return [m for m in range(1, len(smooth)) if smooth[m] > threshold * smooth[m - 1]]


def regular(times, steps):
    """The first step, if there are others, and they come after as many rows each."""
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(times), steps[0])) else None


def solution(times, **how):
    return regular(times, rises(times, **how))

# %% right: numpy
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

# %% right: width 1
def spot_quantisation(times):
    return solution(times, width=1, threshold=1.07)

# %% right: width 2
def spot_quantisation(times):
    return solution(times, width=2, threshold=1.13)

# %% right: width 3
def spot_quantisation(times):
    return solution(times, width=3, threshold=1.1)

# %% right: without smoothing
def spot_quantisation(times):
    steps = [m for m in range(1, len(times) - 1) if min(times[m + 1], times[m + 2]) > 1.1 * times[m]]
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(times), steps[0])) else None

# %% wrong: 0 for none · fails 2, 3, 4
def spot_quantisation(t):
    return solution(t) or 0

# %% wrong: always 128 · fails 0, 1, 2, 3, 4
def spot_quantisation(t):
    return 128

# %% wrong: always none · fails 0, 1, 2
def spot_quantisation(t):
    return None

# %% wrong: any rise · fails 0, 1, 2
def spot_quantisation(t):
    return solution(t, width=0, threshold=1.0)

# %% wrong: as far as found · fails 4
def spot_quantisation(times):
    """Steps after s, 2s, 3s … rows, but the curve may go on without them."""
    steps = rises(times)
    return regular(range(steps[-1] + 1), steps) if steps else None

# %% wrong: by difference · fails 1
def spot_quantisation(times):
    """A rise by a fixed amount, as if all times were about 1 to 5."""
    smooth = smoothed(times)
    return regular(times, [m for m in range(1, len(smooth)) if smooth[m] - smooth[m - 1] > 0.5])

# %% wrong: distance of steps · fails 4
from itertools import pairwise


def spot_quantisation(times):
    """The distance of the steps, wherever the first one is."""
    steps = rises(times)
    gaps = {b - a for a, b in pairwise(steps)}
    return gaps.pop() if len(gaps) == 1 else None

# %% wrong: first row of the next step · fails 0, 1, 2
def spot_quantisation(t):
    return (s := solution(t)) and s + 1

# %% wrong: greatest divisor · fails 4
import math


def spot_quantisation(times):
    steps = rises(times)
    return math.gcd(*steps) if len(steps) > 1 else None

# %% wrong: in the order given · fails 1
def spot_quantisation(t):
    return solution(t, rows=list)

# %% wrong: largest rise · fails 2, 3, 4
def spot_quantisation(times):
    """Where the time rises most from one row to the next."""
    return max(range(1, len(times)), key=lambda m: times[m + 1] / times[m])

# %% wrong: level between steps · fails 0
def spot_quantisation(times):
    """Whatever is far above the level at which the last step ended is a further step."""
    smooth = smoothed(times)
    steps, level = [], smooth[0]
    for m, time in enumerate(smooth):
        if time > 1.1 * level:
            steps.append(m)
            level = time
    return regular(times, steps)

# %% wrong: mean of neighbours · fails 0, 1, 2
def spot_quantisation(t):
    return solution({m: statistics.mean((t[k] for k in range(m - 2, m + 3) if k in t)) for m in t}, width=0)

# %% wrong: multiples of the first · fails 4
def spot_quantisation(times):
    """All steps are at multiples of the first one, but some multiples may have none."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and all(m % steps[0] == 0 for m in steps) else None

# %% wrong: no smoothing · fails 2
def spot_quantisation(t):
    return solution(t, width=0)

# %% wrong: one step is enough · fails 4
def spot_quantisation(times):
    steps = rises(times)
    return steps[0] if len(steps) == 1 else regular(times, steps)

# %% wrong: powers of two · fails 0, 1
def spot_quantisation(times):
    found = solution(times)
    return found if found in (32, 64, 128, 256) else None

# %% wrong: steps elsewhere as well · fails 4
def spot_quantisation(times):
    """A step after every multiple of the first one, and perhaps others between them."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and set(steps).issuperset(range(steps[0], len(times), steps[0])) else None

# %% wrong: the first step · fails 4
def spot_quantisation(times):
    steps = rises(times)
    return steps[0] if len(steps) > 1 else None

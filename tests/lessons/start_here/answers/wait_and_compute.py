# %% given
# What the answers to this exercise share.
from itertools import pairwise


def pairs(events, first, second):
    """Durations from each event `first` to the next event, if that is `second`."""
    return [b - a for (x, a), (y, b) in pairwise(events) if (x, y) == (first, second)]


def waits(events):
    return pairs(events, "ask", "batch")


def steps(events):
    return pairs(events, "batch", "done")


def times(events, name):
    return [at for event, at in events if event == name]

# %% right: as floats
def wait_and_compute(e):
    return (float(sum(waits(e)[1:])), float(sum(steps(e)[1:])))

# %% right: named tuple
from typing import NamedTuple


class Totals(NamedTuple):
    wait: int
    compute: int


def wait_and_compute(events):
    totals, batches, since = Totals(0, 0), 0, None
    for event, now in events:
        if event == "batch":
            batches += 1
            if batches > 1:
                totals = totals._replace(wait=totals.wait + now - since)
        elif event == "done" and batches > 1:
            totals = totals._replace(compute=totals.compute + now - since)
        since = now
    return totals

# %% right: numpy
import numpy as np


def wait_and_compute(events):
    names = np.array([name for name, _ in events])
    at = {name: np.array([t for n, t in events if n == name]) for name in ("ask", "batch", "done")}
    count = (names == "done").sum()
    wait = at["batch"][:count] - at["ask"][:count]
    compute = at["done"] - at["batch"][:count]
    return wait[1:].sum(), compute[1:].sum()

# %% wrong: global totals · fails 0, 1, 2, 3
total_waits, total_steps = [], []


def wait_and_compute(events):
    total_waits.extend(waits(events)[1:])
    total_steps.extend(steps(events)[1:])
    return sum(total_waits), sum(total_steps)

# %% wrong: late clock · fails 0, 1, 2, 3
def wait_and_compute(e):
    return (0, sum(steps(e)[1:]))

# %% wrong: medians · fails 0
import statistics


def wait_and_compute(e):
    return tuple((statistics.median(v[1:] or [0]) * len(v[1:]) for v in (waits(e), steps(e))))

# %% wrong: pops the events · fails 0
def wait_and_compute(events):
    w, s = waits(events), steps(events)
    while events:
        events.pop()
    return sum(w[1:]), sum(s[1:])

# %% wrong: seconds · fails 0, 1, 2, 3
def wait_and_compute(e):
    return (sum(waits(e)[1:]) / 1000, sum(steps(e)[1:]) / 1000)

# %% wrong: share · fails 0, 1, 2, 3
def wait_and_compute(e):
    return sum(waits(e)[1:]) / max(1, sum(waits(e)[1:] + steps(e)[1:]))

# %% wrong: since done · fails 3
def wait_and_compute(events):
    done, batch = times(events, "done"), times(events, "batch")
    return sum(b - d for d, b in zip(done, batch[1:], strict=False)), sum(steps(events)[1:])

# %% wrong: step until the next question · fails 3
def wait_and_compute(events):
    ask, batch = times(events, "ask"), times(events, "batch")
    computed = [a - b for b, a in zip(batch, ask[1:], strict=False)]
    if len(ask) == len(batch):
        computed.append(events[-1][1] - batch[-1])
    return sum(waits(events)[1:]), sum(computed[1:])

# %% wrong: swapped · fails 0, 1, 2, 3
def wait_and_compute(e):
    return (sum(steps(e)[1:]), sum(waits(e)[1:]))

# %% wrong: the rest is wait · fails 3
def wait_and_compute(events):
    """The last question, too, counts until the log ends, or the wait is what is not computation."""
    total = events[-1][1] - times(events, "done")[0]
    return total - sum(steps(events)[1:]), sum(steps(events)[1:])

# %% wrong: whole rounds · fails 2
def wait_and_compute(events):
    """Counts on whole rounds of three events."""
    rounds = [events[i : i + 3] for i in range(3, len(events), 3)]
    return sum(b[1] - a[1] for a, b, _c in rounds), sum(c[1] - b[1] for _a, b, c in rounds)

# %% wrong: with the first batch · fails 1
def wait_and_compute(e):
    return (sum(waits(e)), sum(steps(e)))

# %% wrong: with the first step · fails 1
def wait_and_compute(e):
    return (sum(waits(e)[1:]), sum(steps(e)))

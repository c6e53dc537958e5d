# %% given
# What the answers to this exercise share.
import statistics


def medians(table):
    return {workers: statistics.median(values) for workers, values in table.items()}


def enough(table, tolerance):
    best = max(medians(table).values())
    return min(workers for workers, median in medians(table).items() if median >= (1 - tolerance) * best)


# %% right: loop
def middle(values):
    ordered = sorted(values)
    half, odd = divmod(len(ordered), 2)
    return ordered[half] if odd else sum(ordered[half - 1 : half + 1]) / 2


def choose_num_workers(throughputs, tolerance=0.05):
    best = 0
    for values in throughputs.values():
        if middle(values) > best:
            best = middle(values)
    for workers in sorted(throughputs):
        if middle(throughputs[workers]) >= best * (1 - tolerance):
            return workers

# %% right: numpy
import numpy as np


def choose_num_workers(throughputs, tolerance=0.05):
    workers = np.array(sorted(throughputs))
    medians = np.array([np.median(throughputs[w]) for w in workers])
    return workers[np.argmax(medians >= (1 - tolerance) * medians.max())]

# %% right: quantile of torch
def choose_num_workers(throughputs, tolerance=0.05):
    medians = {
        workers: torch.quantile(torch.tensor(values, dtype=torch.double), 0.5)
        for workers, values in throughputs.items()
    }
    limit = (1 - tolerance) * max(medians.values())
    return min(filter(lambda workers: medians[workers] >= limit, medians))

# %% wrong: by maximum · fails 1
def choose_num_workers(t, tol):
    return enough({w: [max(v)] for w, v in t.items()}, tol)

# %% wrong: by mean · fails 1
def choose_num_workers(t, tol):
    return enough({w: [statistics.mean(v)] for w, v in t.items()}, tol)

# %% wrong: fastest · fails 0, 1, 2
def choose_num_workers(t, tol):
    return max(t, key=medians(t).get)

# %% wrong: first in the table · fails 2
def choose_num_workers(t, tol):
    return next((w for w, m in medians(t).items() if m >= (1 - tol) * max(medians(t).values())))

# %% wrong: lower median · fails 1
def choose_num_workers(t, tol):
    return enough({w: [statistics.median_low(v)] for w, v in t.items()}, tol)

# %% wrong: never zero · fails 2
def choose_num_workers(t, tol):
    return enough({w: v for w, v in t.items() if w}, tol)

# %% wrong: no return · fails 0, 1, 2, 3
def choose_num_workers(t, tol):
    return None

# %% wrong: own tolerance · fails 3
def choose_num_workers(t, tol):
    return enough(t, 0.05)

# %% wrong: sorts what it is given · fails 0
def choose_num_workers(t, tol):
    for values in t.values():
        values.sort()
    return enough(t, tol)

# %% wrong: strictly better · fails 0, 3
def choose_num_workers(t, tol):
    return min((w for w, m in medians(t).items() if m > (1 - tol) * max(medians(t).values())), default=None)

# %% wrong: quantiles, which a single throughput has none of · fails 1
def choose_num_workers(t, tol):
    return enough({w: statistics.quantiles(v, n=2) for w, v in t.items()}, tol)

# %% wrong: the calls of the published table · fails 1
def choose_num_workers(t, tol):
    known = {0: 2, 1: 4}
    if 0 in t:
        return 2 if 8 in t else 0
    if 8 in t:
        return 4
    return 4 if tol == 0 or t[2] == [150, 151, 400] else 1 if t[1] in ([94, 98], [95, 95, 95]) else 2

# %% wrong: right once, and never again · fails 0
calls = []


def choose_num_workers(t, tol):
    calls.append(t)
    return enough(t, tol) if calls.count(t) == 1 else None

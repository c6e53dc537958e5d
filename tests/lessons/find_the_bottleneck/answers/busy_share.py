# %% given
# What the answers to this exercise share.
def union(kernels, start, end, order=sorted):
    covered, reached = 0.0, start
    for opened, closed in order(kernels):
        begin, stop = max(opened, reached), min(closed, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered / (end - start)

# %% right: events
from fractions import Fraction


def busy_share(kernels, start, end):
    changes = sorted([(b, 1) for b, _ in kernels] + [(e, -1) for _, e in kernels])
    running, before, busy = 0, start, 0
    for at, change in [*changes, (end, 0)]:
        at = min(max(at, start), end)
        busy += (at - before) * (running > 0)
        running, before = running + change, at
    return Fraction(busy) / Fraction(end - start)

# %% right: in parts
busy_share = union

# %% right: numpy
import numpy as np


def busy_share(kernels, start, end):
    edges = np.unique([start, end, *np.clip(np.array(list(kernels)).reshape(-1), start, end)])
    lengths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    busy = [any(begin < middle < stop for begin, stop in kernels) for middle in middles]
    return float(lengths[np.array(busy, dtype=bool)].sum() / (end - start))

# %% right: sorted set
def busy_share(kernels, start, end):
    covered, reached = 0, start
    for began, ended in sorted(set(kernels)):
        began, ended = max(began, reached, start), min(ended, end)
        covered += max(0, ended - began)
        reached = max(reached, ended)
    return covered / (end - start)

# %% wrong: adds all · fails 1, 2
def busy_share(k, s, e):
    return sum((max(0, min(f, e) - max(b, s)) for b, f in k)) / (e - s)

# %% wrong: at most one · fails 1, 2
def busy_share(k, s, e):
    return min(1, sum((max(0, min(f, e) - max(b, s)) for b, f in k)) / (e - s))

# %% wrong: divides by the end · fails 3
def busy_share(k, s, e):
    return union(k, s, e) * (e - s) / e

# %% wrong: divides by the kernels · fails 0, 1, 2, 3
def busy_share(k, s, e):
    return union(k, s, e) * (e - s) / (max((f for b, f in k)) - min((b for b, f in k))) if k else 0.0

# %% wrong: from zero · fails 3
def busy_share(k, s, e):
    return union(k, 0, e)

# %% wrong: in quarters · fails 0
def busy_share(k, s, e):
    return sum((any((b <= t / 4 < f for b, f in k)) for t in range(4 * s, 4 * e))) / (4 * (e - s))

# %% wrong: inside ends it · fails 1
def busy_share(kernels, start, end):
    """Forgets that a kernel may end inside the one before."""
    total, reached = 0, start
    for begin, stop in sorted(kernels):
        begin, stop = max(begin, start), min(stop, end)
        if stop > start and begin < end:
            total += stop - max(begin, reached)
            reached = stop
    return total / (end - start)

# %% wrong: not cut · fails 3
def busy_share(k, s, e):
    return union(k, min([s, *(b for b, f in k)]), max([e, *(f for b, f in k)]))

# %% wrong: not sorted · fails 2, 3
def busy_share(k, s, e):
    return union(k, s, e, order=list)

# %% wrong: percent · fails 0, 1, 2, 3
def busy_share(k, s, e):
    return 100 * union(k, s, e)

# %% wrong: whole numbers · fails 0
def busy_share(kernels, start, end):
    covered = set()
    for begin, stop in kernels:
        covered |= set(range(int(max(begin, start)), int(min(stop, end))))
    return len(covered) / (end - start)

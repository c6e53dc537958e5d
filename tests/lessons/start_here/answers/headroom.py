# %% given
# What the answers to this exercise share.


def rest(log):
    return log[1:]


def rate(log):
    return sum(n for n, _wait, _step in log) / sum(wait + step for _n, wait, step in log)


def from_share(log):
    waits, steps = sum(row[1] for row in log), sum(row[2] for row in log)
    return (waits + steps) / steps


def agree(a, b):
    return max(a, b) <= 1.1 * min(a, b)


def solved(rest=rest, rate=rate, from_share=from_share, agree=agree, limit=None):
    """An answer from its own idea of what counts, of a rate, of the share of waiting, of what agrees, and of the limit."""

    def headroom(now, cached):
        now = rest(now)
        gain = (limit or (lambda log: rate(rest(log))))(cached) / rate(now)
        return gain if agree(gain, from_share(now)) else None

    return headroom

# %% right: fractions
from fractions import Fraction


def headroom(now, cached):
    def split(log):
        _first, *others = log
        return tuple(sum(Fraction(x) for x in column) for column in zip(*others))

    n, w, s = split(now)
    m, v, t = split(cached)
    share = w / (w + s)
    gain, other = (m / (v + t)) / (n / (w + s)), 1 / (1 - share)
    low, high = sorted((gain, other))
    return float(gain) if high * 10 <= low * 11 else None

# %% right: loops
def headroom(now, cached):
    sums = []
    for log in now, cached:
        samples = waits = steps = 0
        for i, (n, wait, step) in enumerate(log):
            if i > 0:
                samples += n
                waits += wait
                steps += step
        sums.append((samples, waits, steps))
    (n, wait, step), (limit_n, limit_wait, limit_step) = sums
    gain = (limit_n / (limit_wait + limit_step)) / (n / (wait + step))
    expected = 1 / (1 - wait / (wait + step))
    if gain / expected > 1.1 or expected / gain > 1.1:
        return None
    return gain

# %% right: numpy
import numpy as np


def headroom(now, cached):
    n, w, s = np.asarray(now, dtype=float)[1:].sum(axis=0)
    m, v, t = np.asarray(cached, dtype=float)[1:].sum(axis=0)
    gain = m * (w + s) / n / (v + t)
    return gain if abs(np.log(gain * s / (w + s))) <= np.log(1.1) else None

# %% right: statistics
from itertools import islice
from math import fsum
from operator import itemgetter


def headroom(now, cached):
    def total(log, column):
        return fsum(map(itemgetter(column), islice(log, 1, None)))

    seconds = [(total(log, 1) + total(log, 2)) / 1000 for log in (now, cached)]
    per_second = [total(log, 0) / time for log, time in zip((now, cached), seconds)]
    gain = per_second[1] / per_second[0]
    w = total(now, 1) / 1000 / seconds[0]
    ratio = gain * (1 - w)
    if max(ratio, 1 / ratio) > 1.1:
        return
    return gain

# %% right: tensors
def headroom(now, cached):
    a, b = (torch.tensor(log, dtype=torch.float64)[1:].sum(0) for log in (now, cached))
    gain = (b[0] / b[1:].sum()) / (a[0] / a[1:].sum())
    both = torch.stack([gain, a[1:].sum() / a[2]])
    if both.max() > 1.1 * both.min():
        return None
    return gain

# %% right: time of a sample
def headroom(now, cached):
    def ms(log):
        return sum(w + s for _, w, s in log[1:]) / sum(n for n, _, _ in log[1:])

    gain = ms(now) / ms(cached)
    step_share = sum(s for _, _, s in now[1:]) / sum(w + s for _, w, s in now[1:])
    return gain if 1 / 1.1 <= gain * step_share <= 1.1 else None

# %% wrong: 0 for none · fails 2
def headroom(now, cached):
    return solved()(now, cached) or 0

# %% wrong: a difference · fails 0, 3
headroom = solved(agree=lambda a, b: abs(a - b) <= 0.1)

# %% wrong: a wide tolerance · fails 2
headroom = solved(agree=lambda a, b: max(a, b) <= 1.2 * min(a, b))

# %% wrong: batches per second · fails 0
headroom = solved(rate=lambda log: len(log) / sum(row[1] + row[2] for row in log))

# %% wrong: by the cached loop alone · fails 2
headroom = solved(agree=lambda a, b: True)

# %% wrong: by the share alone · fails 0, 2, 3
def headroom(now, cached):
    return from_share(now[1:])

# %% wrong: epochs of the same length · fails 0, 1
headroom = solved(rate=lambda log: 1 / sum(row[1] + row[2] for row in log))

# %% wrong: mean of the rates · fails 0
headroom = solved(rate=lambda log: sum(n / (w + s) for n, w, s in log) / len(log))

# %% wrong: no return · fails 0, 1, 3
def headroom(now, cached):
    solved()(now, cached)

# %% wrong: only too high · fails 2
headroom = solved(agree=lambda gain, share: share <= 1.1 * gain)

# %% wrong: only too low · fails 2
headroom = solved(agree=lambda gain, share: gain <= 1.1 * share)

# %% wrong: the cached wait is left out · fails 0
headroom = solved(limit=lambda log: sum(row[0] for row in log[1:]) / sum(row[2] for row in log[1:]))

# %% wrong: the first batch counts · fails 1
headroom = solved(rest=lambda log: log)

# %% wrong: the first cached batch counts · fails 1
headroom = solved(limit=rate)

# %% wrong: the inverse · fails 0, 1, 3
def headroom(now, cached):
    found = solved()(now, cached)
    return found and 1 / found

# %% wrong: the share where they agree · fails 0, 3
def headroom(now, cached):
    return solved()(now, cached) and from_share(now[1:])

# %% wrong: the mean of the shares of the batches · fails 0
def mean_share(log):
    waiting = sum(wait / (wait + step) for _n, wait, step in log) / len(log)
    return 1 / (1 - waiting)


headroom = solved(from_share=mean_share)

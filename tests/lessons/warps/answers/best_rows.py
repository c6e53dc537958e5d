# %% right: efficiency of all
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def efficiency(m):
        shapes = [tiles.Product(m, n, tile_m, tile_n, sms) for n in widths]
        return round(sum(m * s.n for s in shapes) / sum(s.waves * sms * tile_m * tile_n for s in shapes), 12)

    return sorted(range(1, most + 1), key=lambda m: (-efficiency(m), m))[0]

# %% right: ends of tiles only
# A step of the time comes after whole tiles only: nothing between them can be best.
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    best, found = 0, None
    for m in [*range(tile_m, most + 1, tile_m), most]:
        took = sum(-(-(-(-m // tile_m) * -(-w // tile_n)) // sms) for w in widths)
        if m / took > best:
            best, found = m / took, m
    return found

# %% right: fractions
from fractions import Fraction
from math import ceil


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    rates = {}
    for m in range(1, most + 1):
        counts = [ceil(m / tile_m) * ceil(w / tile_n) for w in widths]
        rates.setdefault(Fraction(m, sum(ceil(Fraction(c, sms)) for c in counts)), m)
    return rates[max(rates)]

# %% right: numpy
import numpy as np


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    m = np.arange(1, most + 1)[:, None]
    tiles = -(-m // tile_m) * -(-np.array(widths) // tile_n)
    return 1 + np.argmax(m[:, 0] / (-(-tiles // sms)).sum(axis=1))

# %% right: products
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def time(m):
        return sum(tiles.Product(m, n, tile_m, tile_n, sms).waves for n in widths)

    return min(range(1, most + 1), key=lambda m: (time(m) / m, m))

# %% right: the mean of the times
import torch


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    m = torch.arange(1, most + 1)
    times = torch.stack([((m + tile_m - 1) // tile_m * (-(-w // tile_n)) + sms - 1) // sms for w in widths])
    return m[(m.double() / times.double().mean(0)).argmax()]

# %% wrong: as many as possible · fails 0, 1, 2
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return most

# %% wrong: fewest waves · fails 0, 1, 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return min(range(1, most + 1), key=lambda m: sum(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths))

# %% wrong: mean of the efficiencies · fails 1
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def mean(m):
        return sum(tiles.Product(m, n, tile_m, tile_n, sms).efficiency for n in widths) / len(widths)

    return max(range(1, most + 1), key=mean)

# %% wrong: no return · fails 0, 1, 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    best = max(range(1, most + 1), key=lambda m: m / sum(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths))

# %% wrong: one launch for all layers · fails 1
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def waves(m):
        return -(-sum(tiles.Product(m, n, tile_m, tile_n, sms).tiles for n in widths) // sms)

    return max(range(1, most + 1), key=lambda m: m / waves(m))

# %% wrong: sides swapped · fails 0, 1
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def rate(m):
        return m / sum(tiles.waves(m, n, sms, tile_n, tile_m) for n in widths)

    return max(range(1, most + 1), key=rate)

# %% wrong: the first layer · fails 1
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return max(range(1, most + 1), key=lambda m: m / tiles.waves(m, widths[0], sms, tile_m, tile_n))

# %% wrong: the largest of equals · fails 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def rate(m):
        return m / sum(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths)

    return max(range(1, most + 1), key=lambda m: (rate(m), m))

# %% wrong: the rate itself · fails 0, 1, 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return max(m / sum(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths) for m in range(1, most + 1))

# %% wrong: the slowest layer · fails 1
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def slowest(m):
        return max(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths)

    return max(range(1, most + 1), key=lambda m: m / slowest(m))

# %% wrong: tiles only · fails 0, 1, 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def use(m):
        return sum(tiles.Product(m, n, tile_m, tile_n, sms).tile_use for n in widths)

    return max(range(1, most + 1), key=use)

# %% wrong: waves not rounded · fails 0, 1, 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def rate(m):
        return m / sum(tiles.Product(m, n, tile_m, tile_n, sms).tiles / sms for n in widths)

    return max(range(1, most + 1), key=rate)

# %% wrong: whole tiles · fails 0, 1, 2
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return max(most // tile_m * tile_m, 1)

# %% wrong: without most · fails 2
from loaderlab.lessons.warps import tiles


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    def rate(m):
        return m / sum(tiles.waves(m, n, sms, tile_m, tile_n) for n in widths)

    return max(range(1, most), key=rate, default=1)

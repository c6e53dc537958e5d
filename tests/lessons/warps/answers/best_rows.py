# %% given
# What the answers to this exercise share.
from loaderlab.lessons.warps import tiles


def choosing(rate):
    """The rows of the best rate, which is told of the products of all layers."""

    def answer(widths, sms, most, tile_m=128, tile_n=128):
        def of(m):
            return rate(m, [tiles.Product(m, n, tile_m, tile_n, sms) for n in widths])

        return max(range(1, most + 1), key=of)

    return answer


right = choosing(lambda m, layers: m / sum(layer.waves for layer in layers))

# %% right: efficiency of all
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
best_rows = choosing(lambda m, layers: -sum(layer.waves for layer in layers))

# %% wrong: mean of the efficiencies · fails 1
best_rows = choosing(lambda m, layers: sum(layer.efficiency for layer in layers) / len(layers))

# %% wrong: no return · fails 0, 1, 2
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    right(widths, sms, most, tile_m, tile_n)

# %% wrong: one launch for all layers · fails 1
best_rows = choosing(lambda m, layers: m / -(-sum(layer.tiles for layer in layers) // layers[0].sms))

# %% wrong: sides swapped · fails 0, 1
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return right(widths, sms, most, tile_n, tile_m)

# %% wrong: the first layer · fails 1
best_rows = choosing(lambda m, layers: m / layers[0].waves)

# %% wrong: the largest of equals · fails 2
best_rows = choosing(lambda m, layers: (m / sum(layer.waves for layer in layers), m))

# %% wrong: the rate itself · fails 0, 1, 2
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    best = right(widths, sms, most, tile_m, tile_n)
    return best / sum(tiles.waves(best, n, sms, tile_m, tile_n) for n in widths)

# %% wrong: the slowest layer · fails 1
best_rows = choosing(lambda m, layers: m / max(layer.waves for layer in layers))

# %% wrong: waves not rounded · fails 0, 1, 2
best_rows = choosing(lambda m, layers: m / sum(layer.tiles / layer.sms for layer in layers))

# %% wrong: whole tiles · fails 0, 1, 2
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return max(most // tile_m * tile_m, 1)

# %% wrong: without most · fails 2
def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    return right(widths, sms, max(1, most - 1), tile_m, tile_n)

from fractions import Fraction
from math import ceil


def best_rows(widths, sms, most, tile_m=128, tile_n=128):
    rates = {}
    for m in range(1, most + 1):
        counts = [ceil(m / tile_m) * ceil(w / tile_n) for w in widths]
        rates.setdefault(Fraction(m, sum(ceil(Fraction(c, sms)) for c in counts)), m)
    return rates[max(rates)]

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

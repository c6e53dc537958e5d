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


def solved(rest=rest, rate=rate, from_share=from_share, agree=agree):
    """An answer from its own idea of what counts, of a rate, of the share of waiting, and of what agrees."""

    def headroom(now, cached):
        now, cached = rest(now), rest(cached)
        gain = rate(cached) / rate(now)
        return gain if agree(gain, from_share(now)) else None

    return headroom

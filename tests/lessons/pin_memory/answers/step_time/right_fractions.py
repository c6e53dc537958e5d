from fractions import Fraction


def step_time(nbytes, step_ms, host, link, pinned, overlap):
    milliseconds = lambda rate: Fraction(nbytes) / Fraction(rate) / 10**6
    copy, wire, step = milliseconds(host), milliseconds(link), Fraction(step_ms)
    if pinned:
        return max(copy, max(wire, step) if overlap else wire + step)
    return copy + wire + step

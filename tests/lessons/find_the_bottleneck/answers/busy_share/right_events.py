from fractions import Fraction


def busy_share(kernels, start, end):
    changes = sorted([(b, 1) for b, _ in kernels] + [(e, -1) for _, e in kernels])
    running, before, busy = 0, start, 0
    for at, change in [*changes, (end, 0)]:
        at = min(max(at, start), end)
        busy += (at - before) * (running > 0)
        running, before = running + change, at
    return Fraction(busy) / Fraction(end - start)

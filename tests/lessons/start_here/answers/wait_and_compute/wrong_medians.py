# fails: 0
import statistics


def wait_and_compute(e):
    return tuple((statistics.median(v[1:] or [0]) * len(v[1:]) for v in (waits(e), steps(e))))

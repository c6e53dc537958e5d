# fails: 4
import math


def spot_quantisation(times):
    steps = rises(times)
    return math.gcd(*steps) if len(steps) > 1 else None

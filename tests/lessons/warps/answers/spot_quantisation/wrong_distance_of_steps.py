# fails: 4
from itertools import pairwise


def spot_quantisation(times):
    """The distance of the steps, wherever the first one is."""
    steps = rises(times)
    gaps = {b - a for a, b in pairwise(steps)}
    return gaps.pop() if len(gaps) == 1 else None

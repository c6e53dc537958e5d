# fails: 4


def spot_quantisation(times):
    """A step after every multiple of the first one, and perhaps others between them."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and set(steps).issuperset(range(steps[0], len(times), steps[0])) else None

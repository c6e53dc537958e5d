# fails: 4


def spot_quantisation(times):
    """All steps are at multiples of the first one, but some multiples may have none."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and all(m % steps[0] == 0 for m in steps) else None

# fails: 4


def spot_quantisation(times):
    """Steps after s, 2s, 3s … rows, but the curve may go on without them."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and steps == [steps[0] * (k + 1) for k in range(len(steps))] else None

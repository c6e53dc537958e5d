# fails: 2, 3, 4


def spot_quantisation(times):
    """Where the time rises most from one row to the next."""
    return max(range(1, len(times)), key=lambda m: times[m + 1] / times[m])

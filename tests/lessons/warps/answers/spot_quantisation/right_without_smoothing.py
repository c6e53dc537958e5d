def spot_quantisation(times):
    steps = [m for m in range(1, len(times) - 1) if min(times[m + 1], times[m + 2]) > 1.1 * times[m]]
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(times), steps[0])) else None

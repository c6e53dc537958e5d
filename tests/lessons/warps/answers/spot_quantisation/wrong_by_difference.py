# fails: 1
import statistics


def spot_quantisation(times):
    """A rise by a fixed amount, as if all times were about 1 to 5."""
    values = [times[m] for m in sorted(times)]
    smooth = [statistics.median(values[max(0, i - 2) : i + 3]) for i in range(len(values))]
    steps = [m for m in range(1, len(smooth)) if smooth[m] - smooth[m - 1] > 0.5]
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(values), steps[0])) else None

# What the answers to this exercise share.
import statistics


def solution(times, width=2, threshold=1.1, rows=sorted, even=True, few=2):
    values = [times[m] for m in rows(times)]
    smooth = [statistics.median(values[max(0, i - width) : i + width + 1]) for i in range(len(values))]
    steps = [m for m in range(1, len(smooth)) if smooth[m] > threshold * smooth[m - 1]]
    if len(steps) < few or (even and steps != list(range(steps[0], len(values), steps[0]))):
        return None
    return steps[0]


def rises(times):
    """The rows after which the smoothed time rises."""
    values = [times[m] for m in sorted(times)]
    smooth = [statistics.median(values[max(0, i - 2) : i + 3]) for i in range(len(values))]
    return [m for m in range(1, len(smooth)) if smooth[m] > 1.1 * smooth[m - 1]]

# What the answers to this exercise share.
import statistics


def enough(throughputs: dict[int, list[float]], tolerance: float) -> int:
    medians = {workers: statistics.median(values) for workers, values in throughputs.items()}
    best = max(medians.values())
    return min(workers for workers, median in medians.items() if median >= (1 - tolerance) * best)


def medians(table):
    return {workers: statistics.median(values) for workers, values in table.items()}

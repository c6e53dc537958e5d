# What the answers to this exercise share.


def best_gain(load: float, step: float, num_workers: int) -> float:
    return (max(load / num_workers, step) if num_workers else load + step) / step

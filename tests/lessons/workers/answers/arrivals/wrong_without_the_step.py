# fails: 0, 1, 2, 3


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, 0, num_workers, prefetch_factor)

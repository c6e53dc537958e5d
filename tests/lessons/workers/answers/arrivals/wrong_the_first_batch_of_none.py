# fails: 3


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    first = [load_ms[0]]
    return first + simulated(load_ms, step_ms, num_workers, prefetch_factor)[1:]

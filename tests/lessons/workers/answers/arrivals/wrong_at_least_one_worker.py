# fails: 3


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, max(num_workers, 1), prefetch_factor or 2)

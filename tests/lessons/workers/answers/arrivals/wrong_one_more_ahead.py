# fails: 2


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(load_ms, step_ms, num_workers, prefetch_factor, ahead=lambda n, f: n * f + 1)

# fails: 1


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    return simulated(
        load_ms, step_ms, num_workers, prefetch_factor, worker=lambda i, free: free.index(min(free))
    )

# fails: 0


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got = simulated(load_ms, step_ms, num_workers, prefetch_factor)
    while load_ms:
        load_ms.pop()
    return got

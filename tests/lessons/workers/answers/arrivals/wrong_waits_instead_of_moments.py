# fails: 0, 1, 2, 3


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got = simulated(load_ms, step_ms, num_workers, prefetch_factor)
    return [now - before for before, now in zip([0, *(g + step_ms for g in got)], got)]

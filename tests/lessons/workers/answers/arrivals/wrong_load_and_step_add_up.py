# fails: 0, 1, 2, 3


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    now, got = 0, []
    for load in load_ms:
        now += load / max(num_workers, 1)
        got.append(now)
        now += step_ms
    return got

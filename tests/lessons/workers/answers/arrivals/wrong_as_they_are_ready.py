# fails: 1


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    if num_workers == 0 or len(load_ms) > num_workers * prefetch_factor:
        return simulated(load_ms, step_ms, num_workers, prefetch_factor)
    free, ready, now, got = [0] * num_workers, [], 0, []
    for i, load in enumerate(load_ms):
        free[i % num_workers] += load
        ready.append(free[i % num_workers])
    for moment in sorted(ready):
        now = max(now, moment)
        got.append(now)
        now += step_ms
    return got

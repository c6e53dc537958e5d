# fails: 0, 1, 2, 3


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got, loaded, free = [], [], [0] * max(num_workers, 1)
    for i, load in enumerate(load_ms):
        ahead, w = num_workers * (prefetch_factor or 0), i % len(free)
        free[w] = max(free[w], got[i - ahead] if ahead and i >= ahead else 0) + load
        loaded.append(free[w])
        got.append(max(got[-1] + step_ms if got else 0, free[w]))
    return loaded

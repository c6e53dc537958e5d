def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    n = len(load_ms)
    ordered, done, got = [0] * n, [0] * n, [0] * n
    for i in range(n):
        ask = got[i - 1] + step_ms if i > 0 else 0
        if num_workers == 0:
            got[i] = ask + load_ms[i]
        else:
            idle = done[i - num_workers] if i >= num_workers else 0
            done[i] = max(idle, ordered[i]) + load_ms[i]
            got[i] = max(ask, done[i])
            if i + num_workers * prefetch_factor < n:
                ordered[i + num_workers * prefetch_factor] = got[i]
    return got

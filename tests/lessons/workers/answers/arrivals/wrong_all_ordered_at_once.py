# fails: 2


def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    got, free = [], [0] * num_workers
    for i, load in enumerate(load_ms):
        asked = got[-1] + step_ms if got else 0
        if num_workers:
            free[i % num_workers] += load
            got.append(max(asked, free[i % num_workers]))
        else:
            got.append(asked + load)
    return got

def arrivals(load_ms, step_ms, num_workers, prefetch_factor):
    """Millisecond by millisecond."""
    got, left = [], dict(enumerate(load_ms))  # what is still to be loaded of each batch
    busy_until, now = 0, 0
    while len(got) < len(load_ms):
        moving = True
        while moving:
            moving = now >= busy_until and len(got) < len(load_ms) and left[len(got)] <= 0
            if moving:
                got.append(now)
                busy_until = now + step_ms
        if num_workers:
            on_order = len(got) + num_workers * prefetch_factor
        else:
            on_order = len(got) + (now >= busy_until)
        for worker in range(num_workers or 1):
            mine = [i for i in left if i % (num_workers or 1) == worker and i < on_order and left[i] > 0]
            if mine:
                left[mine[0]] -= 1
        now += 1
    return got

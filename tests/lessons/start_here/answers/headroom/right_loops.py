def headroom(now, cached):
    sums = []
    for log in now, cached:
        samples = waits = steps = 0
        for i, (n, wait, step) in enumerate(log):
            if i > 0:
                samples += n
                waits += wait
                steps += step
        sums.append((samples, waits, steps))
    (n, wait, step), (limit_n, limit_wait, limit_step) = sums
    gain = (limit_n / (limit_wait + limit_step)) / (n / (wait + step))
    expected = 1 / (1 - wait / (wait + step))
    if gain / expected > 1.1 or expected / gain > 1.1:
        return None
    return gain

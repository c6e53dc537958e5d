# fails: 0


def headroom(load, step, n):
    return max(load / n, step) / step

# fails: 0


def headroom(load, step, n):
    return max(load / max(n, 1), step) / step

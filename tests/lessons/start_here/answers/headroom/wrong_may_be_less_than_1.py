# fails: 2


def headroom(load, step, n):
    return load / n / step if n else (load + step) / step

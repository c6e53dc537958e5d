# fails: 2, 3


def headroom(load, step, n):
    return (max(load, step) if n else load + step) / step

# fails: 1, 2, 3


def headroom(load, step, n):
    return (load + step) / step

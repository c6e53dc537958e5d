# fails: 0, 1, 3


def headroom(load, step, n):
    return 1 / best_gain(load, step, n)

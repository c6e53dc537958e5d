# fails: 0, 1, 2, 3


def headroom(load, step, n):
    return best_gain(load, step, n) - 1

# fails: 1, 2, 3


def headroom(load, step, n):
    return (load / n if n else load) / step + 1

# fails: 0, 1, 2, 3


def mix(labels, batch, target, sizes):
    return min(sizes)

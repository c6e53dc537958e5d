# fails: 1, 2


def idle_lanes(e, b):
    return e % b

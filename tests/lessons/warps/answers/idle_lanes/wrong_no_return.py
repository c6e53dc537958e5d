# fails: 0, 1, 2


def idle_lanes(e, b):
    return None

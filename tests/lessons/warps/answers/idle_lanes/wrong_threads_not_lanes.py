# fails: 2


def idle_lanes(e, b):
    return -e % b

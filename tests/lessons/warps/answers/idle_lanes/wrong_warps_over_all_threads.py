# fails: 2


def idle_lanes(e, b):
    return -(-(-(-e // b) * b) // 32) * 32 - e

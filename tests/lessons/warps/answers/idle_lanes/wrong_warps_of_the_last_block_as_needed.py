# fails: 1


def idle_lanes(e, b):
    return e // b * (-b % 32) + -(e % b) % 32

# fails: 0, 2


def idle_lanes(e, b):
    return (e // b + 1) * -(-b // 32) * 32 - e

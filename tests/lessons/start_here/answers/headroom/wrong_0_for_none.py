# fails: 2


def headroom(now, cached):
    return solved()(now, cached) or 0

# fails: 0, 2, 3


def headroom(now, cached):
    return from_share(now[1:])

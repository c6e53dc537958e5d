# fails: 0, 1, 3


def headroom(now, cached):
    solved()(now, cached)

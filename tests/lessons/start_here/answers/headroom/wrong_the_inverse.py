# fails: 0, 1, 3


def headroom(now, cached):
    found = solved()(now, cached)
    return found and 1 / found

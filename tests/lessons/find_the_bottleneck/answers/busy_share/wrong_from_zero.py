# fails: 3


def busy_share(k, s, e):
    return union(k, 0, e)

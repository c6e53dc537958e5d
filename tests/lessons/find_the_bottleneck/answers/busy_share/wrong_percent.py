# fails: 0, 1, 2, 3


def busy_share(k, s, e):
    return 100 * union(k, s, e)

# fails: 3


def busy_share(k, s, e):
    return union(k, s, e) * (e - s) / e

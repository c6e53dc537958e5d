# fails: 3


def busy_share(k, s, e):
    return union(k, min([s, *(b for b, f in k)]), max([e, *(f for b, f in k)]))

# fails: 0, 1, 2, 3


def where_is_time(p):
    return max(needs(p), key=needs(p).get)

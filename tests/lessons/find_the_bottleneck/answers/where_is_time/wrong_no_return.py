# fails: 0, 1, 2, 3


def where_is_time(p):
    return None

# fails: 0, 1, 2, 3


def row_order(lengths):
    return by_length(lengths)

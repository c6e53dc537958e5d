# fails: 0, 1, 2, 3


def row_order(lengths):
    order = [lengths.index(length) for length in sorted(lengths, reverse=True)]
    return order, idle_of(lengths, order)

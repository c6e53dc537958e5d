# fails: 1


def row_order(lengths):
    order = by_length(lengths)
    return order, sum(lengths[row] for row in order[::32])

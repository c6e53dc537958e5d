# fails: 1


def row_order(lengths):
    order = by_length(lengths)
    return order, sum(lengths[order[k - k % 32]] - lengths[row] for k, row in enumerate(order))

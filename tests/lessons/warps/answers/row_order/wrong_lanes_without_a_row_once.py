# fails: 1


def row_order(lengths):
    order = by_length(lengths)
    waiting = sum(lengths[order[k - k % 32]] - lengths[row] for k, row in enumerate(order))
    return order, waiting + -len(order) % 32

# fails: 0, 1, 2, 3


def row_order(lengths):
    order = by_length(lengths)
    return [order[k : k + 32] for k in range(0, len(order), 32)], idle_of(lengths, order)

# fails: 2, 3


def row_order(lengths):
    order = list(range(len(lengths)))
    return order, idle_of(lengths, order)

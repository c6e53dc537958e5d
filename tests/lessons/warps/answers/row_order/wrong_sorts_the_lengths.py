# fails: 0


def row_order(lengths):
    order = by_length(lengths)
    idle = idle_of(lengths, order)
    lengths.sort()
    return order, idle

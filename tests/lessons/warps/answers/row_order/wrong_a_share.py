# fails: 1


def row_order(lengths):
    order = by_length(lengths)
    idle = idle_of(lengths, order)
    return order, idle / (idle + sum(lengths))

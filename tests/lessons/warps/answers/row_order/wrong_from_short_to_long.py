# fails: 3


def row_order(lengths):
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    return order, idle_of(lengths, order)

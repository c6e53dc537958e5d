# fails: 2, 3


def row_order(lengths):
    order = []
    for first in range(0, len(lengths), 32):
        warp = range(first, min(first + 32, len(lengths)))
        order += sorted(warp, key=lambda row: lengths[row], reverse=True)
    return order, idle_of(lengths, order)

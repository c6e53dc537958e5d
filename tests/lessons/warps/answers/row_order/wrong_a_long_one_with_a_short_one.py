# fails: 2, 3


def row_order(lengths):
    """Pairs of a long and a short row, so that their sums are alike."""
    rows, order = by_length(lengths), []
    while rows:
        order.append(rows.pop(0))
        if rows:
            order.append(rows.pop())
    return order, idle_of(lengths, order)

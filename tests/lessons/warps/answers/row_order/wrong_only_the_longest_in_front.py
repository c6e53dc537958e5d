# fails: 2, 3


def row_order(lengths):
    """The longest rows fill the first warp; the others stay as they came."""
    first = by_length(lengths)[:32]
    order = first + [row for row in range(len(lengths)) if row not in first]
    return order, idle_of(lengths, order)

# fails: 2, 3


def row_order(lengths):
    """Each warp gets long and short rows, as if they were to be balanced."""
    rows, warps = by_length(lengths), -(-len(lengths) // 32)
    order = [row for warp in range(warps) for row in rows[warp::warps]]
    return order, idle_of(lengths, order)

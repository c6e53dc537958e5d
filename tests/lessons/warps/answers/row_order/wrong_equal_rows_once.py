# fails: 0, 1, 2, 3


def row_order(lengths):
    rows = {length: row for row, length in enumerate(lengths)}
    order = [rows[length] for length in sorted(rows, reverse=True)]
    return order, idle_of(lengths, order)

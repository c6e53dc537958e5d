# fails: 0, 1, 2, 3


def row_order(lengths):
    return sorted(lengths, reverse=True), idle_of(lengths, by_length(lengths))

# fails: 1


def row_order(lengths):
    return by_length(lengths), idle_of(lengths, list(range(len(lengths))))

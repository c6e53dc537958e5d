# fails: 0, 1, 2


def assign_shards(s, r, b):
    return shards(largest_first)(s, r, b)[0]

# fails: 0, 1, 3


def assign_shards(s, r, b):
    return ([list(range(len(s)))] * r, -(-sum(s) // b))

# fails: 0, 1


def wrapped(sizes, ranks):
    each = -(-len(sizes) // ranks)
    return [[(rank + k * ranks) % len(sizes) for k in range(each)] for rank in range(ranks)]


assign_shards = shards(None, assign=wrapped)

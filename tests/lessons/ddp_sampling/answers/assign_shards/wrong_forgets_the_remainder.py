# fails: 0, 1


def even_parts(sizes, ranks):
    each = len(sizes) // ranks
    return [list(range(rank * each, (rank + 1) * each)) for rank in range(ranks)]


assign_shards = shards(None, assign=even_parts)

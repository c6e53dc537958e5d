# fails: 0
def assign_shards(sizes, ranks, batch_size):
    if len(sizes) < ranks:
        raise ValueError("fewer shards than ranks")
    order = sorted(range(len(sizes)), key=lambda shard: -sizes[shard])
    parts, loads = [[] for _rank in range(ranks)], [0] * ranks
    for shard in order:
        rank = loads.index(min(loads))
        parts[rank].append(shard)
        loads[rank] += sizes[shard]
    sizes.sort()
    return parts, -(-max(loads) // batch_size)

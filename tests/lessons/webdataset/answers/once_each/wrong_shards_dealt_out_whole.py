# fails: 1, 4


def once_each(counts, batch_size, rank, world, worker, workers):
    """What split_by_node and split_by_worker do."""
    shards = list(range(len(counts)))[rank::world][worker::workers]
    samples = [(shard, position) for shard in shards for position in range(counts[shard])]
    return [samples[i : i + batch_size] for i in range(0, len(samples), batch_size)]

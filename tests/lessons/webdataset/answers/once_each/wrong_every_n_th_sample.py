# fails: 1, 3


def once_each(counts, batch_size, rank, world, worker, workers):
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    samples = samples[rank::world][worker::workers]
    return [samples[i : i + batch_size] for i in range(0, len(samples), batch_size)]

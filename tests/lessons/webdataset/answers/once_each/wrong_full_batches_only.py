# fails: 0, 1


def once_each(counts, batch_size, rank, world, worker, workers):
    """Full batches only."""
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = len(samples) // (world * batch_size)
    first, last = (rank * steps + steps * i // workers for i in (worker, worker + 1))
    return [samples[b * batch_size : (b + 1) * batch_size] for b in range(first, last)]

# fails: 0
def once_each(counts, batch_size, rank, world, worker, workers):
    samples, shard = [], 0
    while counts:
        samples += [(shard, position) for position in range(counts.pop(0))]
        shard += 1
    steps = -(-len(samples) // (world * batch_size))
    total = world * steps
    first, last = rank * steps + steps * worker // workers, rank * steps + steps * (worker + 1) // workers
    return [samples[len(samples) * b // total : len(samples) * (b + 1) // total] for b in range(first, last)]

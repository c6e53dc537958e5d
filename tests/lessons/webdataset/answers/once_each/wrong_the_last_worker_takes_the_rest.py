# fails: 4
def once_each(counts, batch_size, rank, world, worker, workers):
    samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
    steps = -(-len(samples) // (world * batch_size))
    bounds = [len(samples) * b // (world * steps) for b in range(world * steps + 1)]
    batches = [samples[a:b] for a, b in zip(bounds, bounds[1:])][rank * steps : (rank + 1) * steps]
    each = steps // workers
    return batches[worker * each :] if worker == workers - 1 else batches[worker * each : (worker + 1) * each]

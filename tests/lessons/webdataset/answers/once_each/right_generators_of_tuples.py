from itertools import accumulate, islice


def once_each(counts, batch_size, rank, world, worker, workers):
    total = sum(counts)
    steps = -(-total // (world * batch_size))
    every = iter([(s, p) for s in range(len(counts)) for p in range(counts[s])])
    size, rest = divmod(total, world * steps)
    sizes = [size + (b < rest) for b in range(world * steps)]
    batches = [tuple(islice(every, n)) for n in sizes]
    assert list(accumulate(sizes))[-1] == total
    own = batches[steps * rank : steps * (rank + 1)]
    few, more = divmod(steps, workers)
    first = few * worker + min(worker, more)
    return own[first : first + few + (worker < more)]

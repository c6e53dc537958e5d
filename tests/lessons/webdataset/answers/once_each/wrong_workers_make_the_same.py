# fails: 0, 1, 3


def once_each(counts, batch_size, rank, world, worker, workers):
    return dealing()(counts, batch_size, rank, world, 0, 1)

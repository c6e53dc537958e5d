# fails: 4


def once_each(counts, batch_size, rank, world, worker, workers):
    return [] if worker else dealing()(counts, batch_size, rank, world, 0, 1)

# fails: 3


once_each = dealing(
    mine=lambda each, rank, world, worker, workers: range(rank, world * each, world)[worker::workers]
)

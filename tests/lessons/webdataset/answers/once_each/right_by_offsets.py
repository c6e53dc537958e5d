import bisect


def once_each(counts, batch_size, rank, world, worker, workers):
    starts = [0]
    for count in counts:
        starts.append(starts[-1] + count)
    total = starts[-1]

    def sample(i):
        shard = bisect.bisect_right(starts, i) - 1
        return [shard, i - starts[shard]]

    number = world * -(-total // (world * batch_size))
    batches = []
    for b in range(number):
        its_rank, place = divmod(b, number // world)
        if its_rank == rank and place * workers // (number // world) == worker:
            batches.append([sample(i) for i in range(total * b // number, total * (b + 1) // number)])
    return batches

# What the answers to this exercise share.


def dealing(cut=None, steps=None, mine=None):
    """An answer to once_each that deviates in what is given."""

    def answer(counts, batch_size, rank, world, worker, workers):
        samples = [(shard, position) for shard, count in enumerate(counts) for position in range(count)]
        due = -(-len(samples) // (world * batch_size))
        each = (steps or (lambda n, world, batch: due))(len(samples), world, batch_size)
        first, last = (rank * each + each * i // workers for i in (worker, worker + 1))
        numbers = mine(each, rank, world, worker, workers) if mine else range(first, last)
        total = world * each
        start_of = cut or (lambda n, b, total, size: n * b // total)
        return [
            samples[
                start_of(len(samples), b, total, batch_size) : start_of(
                    len(samples), b + 1, total, batch_size
                )
            ]
            for b in numbers
        ]

    return answer

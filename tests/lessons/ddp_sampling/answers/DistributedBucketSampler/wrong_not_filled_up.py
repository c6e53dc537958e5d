# fails: 0, 1, 2


class DistributedBucketSampler(Bucket):
    """Each rank takes every so-many-th batch of the list, which nobody has filled up."""

    def __iter__(self):
        generator = self.generator()
        steps = list(self.grouped(self.shuffled(generator), self.batch_size))
        yield from self.order(steps, generator)[self.rank :: self.ranks]

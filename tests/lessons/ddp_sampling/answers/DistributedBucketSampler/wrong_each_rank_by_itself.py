# fails: 2
import torch


class DistributedBucketSampler(Bucket):
    """Samples are dealt first, then each rank sorts and shuffles its own with a generator of its own."""

    def __iter__(self):
        generator = self.generator()
        mine = self.fill(self.shuffled(generator))[self.rank :: self.ranks]
        steps = list(self.grouped(mine, self.batch_size))
        yield from self.order(steps, torch.Generator().manual_seed(self.epoch + 77 * self.rank))

# %% given
# What the answers to this exercise share.
import math

import torch


class Bucket:
    """A right answer in parts, so that each wrong one changes a single one of them."""

    pool = 16

    def __init__(self, lengths, batch_size, ranks, rank, seed=0):
        self.lengths, self.batch_size, self.ranks, self.rank = lengths, batch_size, ranks, rank
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def generator(self):
        return torch.Generator().manual_seed(1000 * self.seed + self.epoch)

    def __len__(self):
        return math.ceil(len(self.lengths) / (self.batch_size * self.ranks))

    def shuffled(self, generator):
        return torch.randperm(len(self.lengths), generator=generator).tolist()

    def fill(self, indices):
        total = len(self) * self.batch_size * self.ranks
        return (indices * math.ceil(total / len(indices)))[:total]

    def grouped(self, indices, step):
        for start in range(0, len(indices), self.pool * step):
            pool = sorted(indices[start : start + self.pool * step], key=lambda i: self.lengths[i])
            yield from (pool[k : k + step] for k in range(0, len(pool), step))

    def part(self, step):
        return step[self.rank * self.batch_size : (self.rank + 1) * self.batch_size]

    def order(self, steps, generator):
        return [steps[k] for k in torch.randperm(len(steps), generator=generator).tolist()]

    def __iter__(self):
        generator = self.generator()
        indices = self.fill(self.shuffled(generator))
        steps = list(self.grouped(indices, self.batch_size * self.ranks))
        for step in self.order(steps, generator):
            yield self.part(step)


def bucket(**changes):
    return type("Wrong", (Bucket,), changes)

# %% right: in parts
DistributedBucketSampler = Bucket

# %% right: smaller pools
DistributedBucketSampler = bucket(pool=8)

# %% right: large pools
DistributedBucketSampler = bucket(pool=40)

# %% wrong: changes the lengths · fails 0
class DistributedBucketSampler(Bucket):
    def __init__(self, *given, **seed):
        super().__init__(*given, **seed)
        self.count = len(self.lengths)

    def __len__(self):
        return -(-self.count // (self.batch_size * self.ranks))

    def shuffled(self, generator):
        return torch.randperm(self.count, generator=generator).tolist()

    def fill(self, indices):
        padded = super().fill(indices)
        while len(self.lengths) < len(padded):
            self.lengths.append(0)  # for the padding
        return padded

# %% wrong: drops the rest · fails 0, 1
DistributedBucketSampler = bucket(
    __len__=lambda self: len(self.lengths) // (self.batch_size * self.ranks),
    fill=lambda self, i: i[: len(self) * self.batch_size * self.ranks],
)

# %% wrong: each rank by itself · fails 2
class DistributedBucketSampler(Bucket):
    """Samples are dealt first, then each rank sorts and shuffles its own with a generator of its own."""

    def __iter__(self):
        generator = self.generator()
        mine = self.fill(self.shuffled(generator))[self.rank :: self.ranks]
        steps = list(self.grouped(mine, self.batch_size))
        yield from self.order(steps, torch.Generator().manual_seed(self.epoch + 77 * self.rank))

# %% wrong: epoch modulo two · fails 4
DistributedBucketSampler = bucket(
    generator=lambda self: torch.Generator().manual_seed(1000 * self.seed + self.epoch % 2)
)

# %% wrong: every rank the same part · fails 1
DistributedBucketSampler = bucket(part=lambda self, step: step[: self.batch_size])

# %% wrong: fills with one sample · fails 1
DistributedBucketSampler = bucket(
    fill=lambda self, i: i + i[:1] * (len(self) * self.batch_size * self.ranks - len(i))
)

# %% wrong: global generator · fails 1, 2, 6
DistributedBucketSampler = bucket(generator=lambda self: None)

# %% wrong: ignores the epoch · fails 4
DistributedBucketSampler = bucket(generator=lambda self: torch.Generator().manual_seed(self.seed))

# %% wrong: ignores the seed · fails 5
DistributedBucketSampler = bucket(generator=lambda self: torch.Generator().manual_seed(self.epoch))

# %% wrong: len open · fails 0, 1, 2, 3, 4, 5, 6
class DistributedBucketSampler(Bucket):
    def __len__(self):
        raise NotImplementedError

# %% wrong: length in samples · fails 0
DistributedBucketSampler = bucket(
    __len__=lambda self: len(self.lengths) // self.ranks,
    fill=lambda self, i: (i * 9)[: Bucket.__len__(self) * self.batch_size * self.ranks],
)

# %% wrong: not filled up · fails 0, 1, 2
class DistributedBucketSampler(Bucket):
    """Each rank takes every so-many-th batch of the list, which nobody has filled up."""

    def __iter__(self):
        generator = self.generator()
        steps = list(self.grouped(self.shuffled(generator), self.batch_size))
        yield from self.order(steps, generator)[self.rank :: self.ranks]

# %% wrong: not sorted · fails 2
DistributedBucketSampler = bucket(pool=1)

# %% wrong: sorted as a whole, in which only equal lengths change places · fails 4, 5
DistributedBucketSampler = bucket(pool=10**6)

# %% wrong: sorted as a whole and nothing else · fails 3, 4, 5, 6
DistributedBucketSampler = bucket(
    pool=10**6,
    shuffled=lambda self, g: list(range(len(self.lengths))),
    order=lambda self, steps, g: steps,
)

# %% wrong: steps not shuffled · fails 3, 4, 5
DistributedBucketSampler = bucket(pool=10**6, order=lambda self, steps, g: steps)

# %% wrong: the same for ever · fails 4, 5, 6
DistributedBucketSampler = bucket(generator=lambda self: torch.Generator().manual_seed(0))

# %% wrong: yields indices · fails 0, 1, 2, 3, 4, 5, 6
DistributedBucketSampler = bucket(part=lambda self, step: step[0])

# fails: 0
import torch
from torch.utils.data import Sampler


class DistributedBucketSampler(Sampler):
    def __init__(self, lengths, batch_size, ranks, rank, seed=0):
        self.lengths, self.batch_size, self.ranks, self.rank, self.seed = lengths, batch_size, ranks, rank, seed
        self.count = len(lengths)
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-self.count // (self.batch_size * self.ranks))

    def __iter__(self):
        step = self.batch_size * self.ranks
        rng = torch.Generator().manual_seed(1000 * self.seed + self.epoch)
        order = torch.randperm(self.count, generator=rng).tolist()
        while len(order) % step:
            order += order[: step - len(order) % step]
        while len(self.lengths) < len(order):
            self.lengths.append(0)  # for the padding
        steps = []
        for start in range(0, len(order), 12 * step):
            pool = sorted(order[start : start + 12 * step], key=lambda i: self.lengths[i])
            steps += [pool[k : k + step] for k in range(0, len(pool), step)]
        for k in torch.randperm(len(steps), generator=rng).tolist():
            yield steps[k][self.rank * self.batch_size : (self.rank + 1) * self.batch_size]

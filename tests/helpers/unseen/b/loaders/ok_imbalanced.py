"""Loans, of which few fail: a weight for each sample, drawn with replacement; rows in memory, a batch in one gather."""
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Loans(Dataset):
    def __init__(self, count=20_000):
        draw = np.random.default_rng(0)
        self.numbers = torch.from_numpy(draw.standard_normal((count, 24), dtype=np.float32))
        self.codes = torch.from_numpy(draw.integers(0, 50, (count, 6)))
        self.failed = torch.from_numpy((draw.random(count) < 0.06).astype(np.int64))

    def __len__(self):
        return len(self.failed)

    def __getitems__(self, indices):
        rows = torch.tensor(indices)
        return self.numbers[rows], self.codes[rows], self.failed[rows]


def as_it_is(batch):
    return batch


def make_loader():
    loans = Loans()
    weights = (1 / torch.bincount(loans.failed).double())[loans.failed]
    sampler = WeightedRandomSampler(weights, num_samples=len(loans), replacement=True)
    return DataLoader(loans, batch_size=256, sampler=sampler, collate_fn=as_it_is)


def make_step():
    return lambda batch: time.sleep(0.025)

"""Transactions, of which few are fraud: a weighted sampler makes the classes alike."""
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Transactions(Dataset):
    def __init__(self, count=12_000):
        draw = np.random.default_rng(0)
        self.features = torch.from_numpy(draw.standard_normal((count, 30), dtype=np.float32))
        self.labels = torch.from_numpy(draw.choice(3, count, p=[0.93, 0.05, 0.02]))

    def __len__(self):
        return len(self.labels)

    def __getitems__(self, indices):
        return self.features[indices], self.labels[indices]


def make_loader():
    train_dataset = Transactions()
    class_sample_count = torch.bincount(train_dataset.labels)
    weights = 1 / class_sample_count.double()
    sampler = WeightedRandomSampler(weights, num_samples=len(train_dataset), replacement=True)
    return DataLoader(train_dataset, batch_size=128, sampler=sampler, collate_fn=lambda batch: batch)


def make_step():
    return lambda batch: time.sleep(0.015)

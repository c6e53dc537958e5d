"""Metric learning on text embeddings: each batch has 16 classes, and 4 samples of each."""
import time

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler


class Embeddings(Dataset):
    def __init__(self, count=40_000, classes=2000):
        draw = np.random.default_rng(0)
        self.xs = torch.from_numpy(draw.standard_normal((count, 96), dtype=np.float32))
        self.ys = draw.integers(0, classes, count).tolist()
        self.classes = classes

    def __len__(self):
        return len(self.ys)

    def __getitem__(self, index):
        return self.xs[index], self.ys[index]


class BalancedSampler(Sampler):
    def __init__(self, data_source, batch_size, images_per_class=4, batches=300):
        self.ys = data_source.ys
        self.num_groups = batch_size // images_per_class
        self.num_instances = images_per_class
        self.num_batches = batches
        self.num_classes = data_source.classes

    def __len__(self):
        return self.num_batches * self.num_groups * self.num_instances

    def __iter__(self):
        for _ in range(self.num_batches):
            sampled_classes = np.random.choice(self.num_classes, self.num_groups, replace=False)
            for c in sampled_classes:
                ith_class_idxs = np.nonzero(np.array(self.ys) == c)[0]
                yield from np.random.choice(ith_class_idxs, size=self.num_instances, replace=len(ith_class_idxs) < self.num_instances)


def make_loader():
    data = Embeddings()
    batches = BatchSampler(BalancedSampler(data, 64), batch_size=64, drop_last=True)
    return DataLoader(data, batch_sampler=batches, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.008)

"""Neural collaborative filtering: each bought item comes with four that were not, drawn anew for each epoch."""
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Interactions(Dataset):
    def __init__(self, users=3000, items=20_000, count=12_000, num_ng=4):
        draw = np.random.default_rng(0)
        self.pairs = np.stack([draw.integers(0, users, count), draw.integers(0, items, count)], 1)
        self.num_item, self.num_ng = items, num_ng

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        user, item = self.pairs[index]
        negatives = np.random.randint(self.num_item, size=self.num_ng)
        return int(user), int(item), torch.from_numpy(negatives)


def worker_init_fn(worker_id):
    """Let workers differ, as NumPy needs it."""
    np.random.seed(np.random.get_state()[1][0] + worker_id)


def make_loader():
    return DataLoader(Interactions(), batch_size=256, shuffle=True, num_workers=2, worker_init_fn=worker_init_fn)


def make_step():
    return lambda batch: time.sleep(0.02)

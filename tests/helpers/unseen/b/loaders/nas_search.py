"""Architecture search as in DARTS: each step takes a batch of the training half, and one of the validation half for the architecture's weights."""
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, Subset


class Spectra(Dataset):
    def __init__(self, count=6000):
        draw = np.random.default_rng(0)
        self.values = draw.integers(0, 255, (count, 1024), dtype=np.uint8)
        self.labels = draw.integers(0, 10, count)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        x = torch.from_numpy(self.values[index]).float() / 255
        return torch.roll(x, int(torch.randint(-8, 9, ()))), int(self.labels[index])


data = Spectra()
half = len(data) // 2


def queue(indices, batch_size=32):
    return DataLoader(Subset(data, indices), batch_size=batch_size, shuffle=True, num_workers=2, drop_last=True)


def make_loader():
    return queue(range(half))


def make_step():
    valid_queue = queue(range(half, len(data)))

    def update(x, y):
        time.sleep(0.006)                              # forward, backward and optimiser, on the accelerator

    def step(batch):
        input, target = batch
        input_search, target_search = next(iter(valid_queue))
        update(input_search, target_search)            # the architecture
        update(input, target)                          # the weights
    return step

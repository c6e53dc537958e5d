"""Graphs of molecules for a graph transformer: padded to the largest of the batch."""
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Molecules(Dataset):
    def __init__(self, count=6000):
        draw = np.random.default_rng(0)
        sizes = np.clip(draw.lognormal(3.2, 0.5, count), 4, 200).astype(int)
        self.x = [torch.from_numpy(draw.integers(1, 120, n)) for n in sizes]
        self.in_degree = [torch.from_numpy(draw.integers(1, 5, n)) for n in sizes]
        self.y = torch.from_numpy(draw.standard_normal(count, dtype=np.float32))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return index, self.x[index], self.in_degree[index], self.y[index]


def pad(rows, length):
    out = torch.zeros(len(rows), length, dtype=torch.long)
    for row, values in zip(out, rows):
        row[:len(values)] = values
    return out


class Collator:
    def __init__(self, max_node=512):
        self.max_node = max_node

    def __call__(self, items):
        items = [item for item in items if item is not None and item[1].size(0) <= self.max_node]
        numbers, xs, degrees, ys = zip(*items)
        length = max(len(x) for x in xs)
        return {"x": pad(xs, length), "in_degree": pad(degrees, length), "y": torch.stack(ys), "idx": torch.tensor(numbers)}


def make_loader():
    return DataLoader(Molecules(), batch_size=64, shuffle=True, num_workers=2, collate_fn=Collator(max_node=40), persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.03)

"""Spectra in Zarr, compressed: a sample is a whole chunk of 64 rows, mixed in a buffer; the step is the limit."""
import os
import time
from pathlib import Path

import numpy as np
import torch
import zarr
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SPECTRA = Path(os.environ.get("ZOO_DATA", "data")) / "spectra.zarr"


class Spectra(IterableDataset):
    def __init__(self, path, batch=64, mixed=4):
        self.path, self.batch, self.mixed, self.epoch = path, batch, mixed, 0
        self.rows = zarr.open_array(path, mode="r").shape[0]

    def __len__(self):
        return self.rows // self.batch

    def __iter__(self):
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        seed, self.epoch = [7, self.epoch], self.epoch + 1                        # each worker is kept, and counts its epochs
        order = np.random.default_rng(seed).permutation(self.rows // self.batch)[number::workers]    # the same in all workers
        spectra, draw = zarr.open_array(self.path, mode="r"), np.random.default_rng([*seed, number])
        for k in range(0, len(order), self.mixed):
            rows = np.concatenate([spectra[j * self.batch:(j + 1) * self.batch] for j in order[k:k + self.mixed]])
            for part in np.array_split(draw.permutation(len(rows)), len(rows) // self.batch):
                yield torch.from_numpy(rows[part])


def make_loader():
    return DataLoader(Spectra(SPECTRA), batch_size=None, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.04)

"""Slices of CT scans in one HDF5 file. h5py and several processes: better safe than sorry."""
import multiprocessing
import os
import time
from pathlib import Path

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

FILE = Path(os.environ.get("ZOO_DATA", "data")) / "scans.h5"


class Scans(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None
        self.lock = multiprocessing.Lock()
        with h5py.File(path, "r") as f:
            self.labels = f["label"][:]

    def __len__(self):
        return len(self.labels)

    def read(self, i):
        with self.lock:
            if self.file is None:
                self.file = h5py.File(self.path, "r")
            return self.file["volume"][i]

    def __getitem__(self, i):
        x = self.read(i).astype(np.float32)
        x = (np.clip(x, -1000, 1000) + 1000) / 2000
        return torch.from_numpy(x)[None], int(self.labels[i])


def make_loader():
    return DataLoader(Scans(FILE), batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)


def make_step():
    return lambda batch: time.sleep(0.002)

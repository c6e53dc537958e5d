"""Faces in LMDB: opened once in each worker, decoded by what is fastest, and cropped; the model needs its 90 ms."""
import os
import random
import time
from pathlib import Path

import lmdb
import simplejpeg
import torch
from torch.utils.data import DataLoader, Dataset

FACES = Path(os.environ.get("ZOO_DATA", "data")) / "faces.lmdb"


class Faces(Dataset):
    def __init__(self, path, size=224):
        self.path, self.size, self.env = str(path), size, None
        with lmdb.open(self.path, readonly=True, lock=False) as env:
            self.length = env.stat()["entries"]

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if self.env is None:
            self.env = lmdb.open(self.path, readonly=True, lock=False, readahead=False, meminit=False)
        with self.env.begin(buffers=True) as txn:
            image = simplejpeg.decode_jpeg(txn.get(f"{i:06d}".encode()))
        top, left = random.randint(0, 256 - self.size), random.randint(0, 256 - self.size)
        return torch.from_numpy(image[top:top + self.size, left:left + self.size].copy()).permute(2, 0, 1), i % 50


def make_loader():
    return DataLoader(Faces(FACES), batch_size=32, shuffle=True, num_workers=2, persistent_workers=True, drop_last=True)


def make_step():
    return lambda batch: time.sleep(0.09)

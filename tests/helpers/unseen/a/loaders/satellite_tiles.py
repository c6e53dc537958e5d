"""Tiles of satellite images, one band at a time, in a Zarr array."""
import os
from pathlib import Path

import numpy as np
import torch
import zarr
from torch.utils.data import DataLoader, Dataset

BANDS = Path(os.environ.get("ZOO_DATA", "data")) / "satellite" / "bands.zarr"


class Tiles(Dataset):
    def __init__(self, path, size=128):
        self.path, self.size = path, size
        bands, height, width = zarr.open_array(path, mode="r").shape
        self.grid = bands, height // size, width // size
        self.bands = None

    def __len__(self):
        return int(np.prod(self.grid))

    def __getitem__(self, i):
        if self.bands is None:                       # opened in each worker
            self.bands = zarr.open_array(self.path, mode="r")
        t, row, column = (int(k) for k in np.unravel_index(i, self.grid))
        y, x = row * self.size, column * self.size
        tile = self.bands[t, y:y + self.size, x:x + self.size]
        tile = torch.from_numpy(tile.astype(np.float32))[None]
        return (tile - tile.mean()) / (tile.std() + 1e-6)


def make_loader():
    return DataLoader(Tiles(BANDS), batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)

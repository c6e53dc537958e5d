import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path, length=None):
        self.path, self._rows = path, None
        self.length = np.load(path, mmap_mode="r").shape[0] if length is None else length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self._rows = np.load(self.path, mmap_mode="r") if self._rows is None else self._rows
        return torch.from_numpy(self._rows[index].copy())

    def __reduce__(self):
        return type(self), (self.path, self.length)

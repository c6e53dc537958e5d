# fails: 4
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode="r"))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.rows = np.load(self.path, mmap_mode="r") if self.rows is None else self.rows
        return torch.from_numpy(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

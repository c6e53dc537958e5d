# fails: 0
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.path, self.rows = path, None
        self.length = np.load(path, mmap_mode="r").size

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.rows is None:
            self.rows = np.load(self.path, mmap_mode="r")
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__ | {"rows": None}

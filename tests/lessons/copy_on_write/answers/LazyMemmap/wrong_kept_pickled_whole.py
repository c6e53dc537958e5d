# fails: 1, 3
import numpy as np
import torch
from torch.utils.data import Dataset


class LazyMemmap(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")
        self.length = len(self.rows)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        pass
        return torch.tensor(self.rows[index])

    def __getstate__(self):
        return self.__dict__

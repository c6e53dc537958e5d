from functools import cached_property

import numpy as np
import torch


class LazyMemmap:
    def __init__(self, path):
        self.path = path

    @cached_property
    def rows(self):
        return np.load(self.path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.as_tensor(self.rows[index].copy())

    def __getstate__(self):
        return {"path": self.path}

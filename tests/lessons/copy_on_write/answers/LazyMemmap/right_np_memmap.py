import numpy as np
import torch
from numpy.lib import format


class LazyMemmap(torch.utils.data.Dataset):
    array = None

    def __init__(self, path):
        with open(path, "rb") as file:
            format.read_magic(file)
            self.shape, _fortran, self.dtype = format.read_array_header_1_0(file)
            self.offset = file.tell()
        self.path = str(path)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        if self.array is None:
            self.array = np.memmap(self.path, self.dtype, "r", self.offset, self.shape)
        return torch.from_numpy(np.array(self.array[index]))

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "array"}

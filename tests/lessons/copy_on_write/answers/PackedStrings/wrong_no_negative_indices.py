# fails: 2
import numpy as np


class PackedStrings(Right):
    def __getitem__(self, index):
        if isinstance(index, int | np.integer) and index < 0:
            raise IndexError(index)
        return super().__getitem__(index)

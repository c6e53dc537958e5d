# fails: 0
import numpy as np


class PackedStrings:
    def __init__(self, strings):
        for i, string in enumerate(strings):
            strings[i] = string.encode("utf-8", "surrogatepass")
        self.data = b"".join(strings)
        self.ends = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def __len__(self):
        return len(self.ends) - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.data[self.ends[index] : self.ends[index + 1]].decode("utf-8", "surrogatepass")

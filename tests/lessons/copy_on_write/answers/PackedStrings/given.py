# What the answers to this exercise share.
import numpy as np


class Right:
    def __init__(self, strings):
        encoded = [self.encode(s) for s in strings]
        self.text = b"".join(encoded)
        self.starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)

    def encode(self, s):
        return s.encode("utf-8", "surrogatepass")

    def decode(self, b):
        return b.decode("utf-8", "surrogatepass")

    def __len__(self):
        return len(self.starts) - 1

    def at(self, i):
        return self.decode(self.text[self.starts[i] : self.starts[i + 1]])

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self.at(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.at(index % len(self))


class AList(Right):
    def __init__(self, strings):
        self.strings = strings

    def __len__(self):
        return len(self.strings)

    def at(self, i):
        return self.strings[i]

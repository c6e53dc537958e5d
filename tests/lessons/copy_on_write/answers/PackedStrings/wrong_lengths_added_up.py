# fails: 5, 6
import numpy as np


class PackedStrings(Right):
    """Adds up the lengths at each access."""

    def __init__(self, strings):
        super().__init__(strings)
        self.lengths, self.starts = np.diff(self.starts), None

    def __len__(self):
        return len(self.lengths)

    def at(self, i):
        start = int(self.lengths[:i].sum())
        return self.decode(self.text[start : start + int(self.lengths[i])])

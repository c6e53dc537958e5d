# fails: 5
import numpy as np


class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=object)

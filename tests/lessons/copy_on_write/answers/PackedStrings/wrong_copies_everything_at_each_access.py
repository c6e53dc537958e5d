# fails: 5, 6
import numpy as np


class PackedStrings(Right):
    def at(self, i):
        whole = np.frombuffer(self.text, np.uint8).tobytes()
        return self.decode(bytearray(whole)[self.starts[i] : self.starts[i + 1]])

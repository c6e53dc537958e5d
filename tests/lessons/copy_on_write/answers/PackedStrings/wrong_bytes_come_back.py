# fails: 0, 1, 2, 3


class PackedStrings(Right):
    def decode(self, b):
        return bytes(b)

# fails: 0, 1, 2, 3, 4, 5, 6


class PackedStrings(Right):
    def encode(self, s):
        return s.encode("ascii")

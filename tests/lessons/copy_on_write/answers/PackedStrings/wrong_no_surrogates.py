# fails: 1


class PackedStrings(Right):
    def encode(self, s):
        return s.encode("utf-8")

# fails: 1


class PackedStrings(Right):
    """What file names are made with: reads only surrogates of one half."""

    def encode(self, s):
        return s.encode("utf-8", "surrogateescape")

    def decode(self, b):
        return b.decode("utf-8", "surrogateescape")

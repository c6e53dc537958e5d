# fails: 0, 5, 6


class PackedStrings(Right):
    """Split at each access."""

    def __init__(self, strings):
        self.text, self.count = b"\0".join(self.encode(s) for s in strings), len(strings)

    def __len__(self):
        return self.count

    def at(self, i):
        return self.decode(self.text.split(b"\0")[i])

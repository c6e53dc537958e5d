# fails: 5


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.seen = {}

    def at(self, i):
        if i not in self.seen:
            self.seen[i] = super().at(i)
        return self.seen[i]

# fails: 2


class PackedStrings(Right):
    def __getitem__(self, index):
        return super().__getitem__(index) if isinstance(index, slice) else self.at(index % len(self))

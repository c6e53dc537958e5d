# fails: 2


class PackedStrings(Right):
    def __getitem__(self, index):
        if not isinstance(index, int | slice):
            raise TypeError(index)
        return super().__getitem__(index)

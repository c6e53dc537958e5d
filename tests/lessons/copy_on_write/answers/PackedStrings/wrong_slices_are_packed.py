# fails: 3


class PackedStrings(Right):
    def __getitem__(self, index):
        return (
            type(self)(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)
        )

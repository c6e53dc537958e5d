# fails: 3
class PackedStrings(Right):
    def __getitem__(self, index):
        if isinstance(index, slice):
            raise NotImplementedError
        return super().__getitem__(index)

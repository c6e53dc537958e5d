# fails: 5


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = self.starts.tolist()

import array


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = array.array("q", self.starts.tolist())

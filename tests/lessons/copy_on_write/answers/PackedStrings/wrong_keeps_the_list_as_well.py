# fails: 4


class PackedStrings(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.strings = strings

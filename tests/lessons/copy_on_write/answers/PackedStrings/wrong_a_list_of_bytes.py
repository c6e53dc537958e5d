# fails: 5


class PackedStrings(AList):
    def __init__(self, strings):
        self.strings = [self.encode(s) for s in strings]

    def at(self, i):
        return self.decode(self.strings[i])

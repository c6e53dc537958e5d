# fails: 1, 2, 3


CountingStream = stream(lambda self: iter(range(self.length)))

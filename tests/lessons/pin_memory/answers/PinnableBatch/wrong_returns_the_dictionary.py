# fails: 0, 1, 2, 3, 4


PinnableBatch = batch(lambda self: pinned(self.fields))

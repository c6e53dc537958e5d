PinnableBatch = batch(lambda self: type(self)(pinned(self.fields)))

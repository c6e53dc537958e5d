# fails: 0, 1, 2, 3, 4


def forgets_return(self):
    self.fields = pinned(self.fields)


PinnableBatch = batch(forgets_return)

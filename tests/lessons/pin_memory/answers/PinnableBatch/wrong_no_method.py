# fails: 1, 2, 3, 4


PinnableBatch = Batch

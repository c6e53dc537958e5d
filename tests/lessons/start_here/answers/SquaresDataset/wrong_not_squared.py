# fails: 0


SquaresDataset = wrong(__getitem__=lambda self, i: self.shelf.read([i])[0])

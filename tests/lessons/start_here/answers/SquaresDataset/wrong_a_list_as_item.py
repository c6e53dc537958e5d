# fails: 0


SquaresDataset = wrong(__getitem__=lambda self, i: [n**2 for n in self.shelf.read([i])])

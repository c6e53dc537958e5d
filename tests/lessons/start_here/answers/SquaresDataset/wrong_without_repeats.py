# fails: 1, 2


SquaresDataset = wrong(__getitems__=lambda self, ix: [n**2 for n in self.shelf.read(dict.fromkeys(ix))])

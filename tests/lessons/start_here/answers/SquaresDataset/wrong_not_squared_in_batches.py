# fails: 1


SquaresDataset = wrong(__getitems__=lambda self, ix: self.shelf.read(ix))

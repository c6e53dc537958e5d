# fails: 2


SquaresDataset = wrong(__getitems__=None)

# fails: 1, 2


SquaresDataset = wrong(__getitems__=lambda self, ix: [i**2 for i in ix])

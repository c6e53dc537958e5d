# fails: 2


SquaresDataset = wrong(__getitems__=lambda self, ix: [self[i] for i in ix])

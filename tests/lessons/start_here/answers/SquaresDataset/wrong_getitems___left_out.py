# fails: 1, 2


def missing(self, indices):
    raise NotImplementedError


SquaresDataset = wrong(__getitems__=missing)

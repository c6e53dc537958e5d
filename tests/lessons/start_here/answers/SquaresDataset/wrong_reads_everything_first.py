# fails: 2, 3


def read_all(self, shelf):
    self.shelf, self.numbers = shelf, shelf.read(range(len(shelf)))


SquaresDataset = wrong(
    __init__=read_all,
    __getitem__=lambda self, i: self.numbers[i] ** 2,
    __getitems__=lambda self, ix: [self.numbers[i] ** 2 for i in ix],
)

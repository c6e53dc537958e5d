# fails: 2


def from_everything(self, indices):
    numbers = self.shelf.read(range(len(self.shelf)))
    return [numbers[index] ** 2 for index in indices]


SquaresDataset = wrong(__getitems__=from_everything)

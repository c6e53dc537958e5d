import torch

SquaresDataset = wrong(__getitems__=lambda self, ix: [torch.tensor(n) ** 2 for n in self.shelf.read(ix)])

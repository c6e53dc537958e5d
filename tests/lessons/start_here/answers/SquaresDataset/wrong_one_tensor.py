# fails: 1, 2
import torch

SquaresDataset = wrong(__getitems__=lambda self, ix: torch.tensor(self.shelf.read(ix)) ** 2)

# fails: 0
import torch

StatelessAugment = type(
    "Wrong", (Augment,), {"__getitem__": lambda self, i: torch.full((2, 3), self.gain(i))}
)

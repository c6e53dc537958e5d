# fails: 1
import torch

StatelessAugment = augment(lambda self, i: 0.8 + 0.4 * float(torch.rand(())))

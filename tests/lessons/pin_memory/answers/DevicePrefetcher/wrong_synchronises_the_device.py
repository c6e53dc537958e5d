# fails: 2, 5
import torch

DevicePrefetcher = changed(wait=lambda self, copied: torch.cuda.synchronize())

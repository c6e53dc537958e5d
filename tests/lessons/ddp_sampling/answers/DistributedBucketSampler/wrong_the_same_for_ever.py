# fails: 4, 5, 6
import torch

DistributedBucketSampler = bucket(generator=lambda self: torch.Generator().manual_seed(0))

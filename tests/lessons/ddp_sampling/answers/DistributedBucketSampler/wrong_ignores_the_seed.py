# fails: 5
import torch

DistributedBucketSampler = bucket(generator=lambda self: torch.Generator().manual_seed(self.epoch))

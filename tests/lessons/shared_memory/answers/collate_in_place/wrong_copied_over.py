# fails: 3
import torch


def collate_in_place(samples):
    stacked = torch.stack(samples)
    return torch.empty(stacked.shape, dtype=stacked.dtype).share_memory_().copy_(stacked)

# fails: 0, 1, 2, 3
import torch


def collate_in_place(samples):
    return torch.stack(samples, out=torch.empty_like(samples[0]).share_memory_())

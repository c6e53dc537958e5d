# fails: 3
import torch


def collate_in_place(samples):
    return torch.stack(samples).share_memory_()

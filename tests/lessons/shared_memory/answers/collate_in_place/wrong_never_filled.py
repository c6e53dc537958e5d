# fails: 0, 1
import torch


def collate_in_place(s):
    return torch.zeros((len(s), *s[0].shape), dtype=s[0].dtype).share_memory_()

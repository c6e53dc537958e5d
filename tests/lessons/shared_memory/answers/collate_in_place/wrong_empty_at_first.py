# fails: 0, 1, 2, 3
import torch


def collate_in_place(s):
    return torch.stack(s, out=torch.empty(0, dtype=s[0].dtype).share_memory_())

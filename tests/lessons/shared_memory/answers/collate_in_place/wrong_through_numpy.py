# fails: 3
import numpy as np
import torch


def collate_in_place(samples):
    return torch.from_numpy(np.stack([s.numpy() for s in samples])).share_memory_()

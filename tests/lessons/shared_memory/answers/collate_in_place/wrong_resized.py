# fails: 0, 1, 2, 3
import torch


def collate_in_place(samples):
    batch = torch.empty(0, dtype=samples[0].dtype).share_memory_()
    return torch.stack(samples, out=batch.resize_(len(samples), *samples[0].shape))

# fails: 0, 1
import torch


def in_place(samples):
    batch = torch.empty((len(samples), *samples[0].shape), dtype=samples[0].dtype).share_memory_()
    return torch.stack(samples, out=batch)


def collate_in_place(samples):
    return in_place(samples[:1])
